import AcctPorts
import FleetPorts
import SharedKeyring
import StrictJSON
import Testing

@Suite("What follows a write that was refused or not answered")
struct UnconfirmedWriteTests {
  private typealias Write = UnconfirmedWrite<String>

  private func next(
    _ basis: UnconfirmedWrite<String>.Basis,
    wanted: String?,
    found credential: String?,
    lock: LockOwner? = nil,
    hasAll: Bool = false
  ) -> NextWrite {
    Write(owner: Owners.me, basis: basis, wanted: wanted)
      .next(found: .init(credential: credential, lockOwner: lock, hasAll: hasAll))
  }

  @Test("A renewal's answer goes in while the object has the credential that was spent for it")
  func answer() {
    for lock in [nil, Owners.me, Owners.far] {
      #expect(next(.spent("old"), wanted: "new", found: "old", lock: lock) == .again)
    }
  }

  @Test("A renewal's answer that is in the object is stored, even if another process has locked it since")
  func stored() {
    for lock in [nil, Owners.far] {
      #expect(
        next(.spent("old"), wanted: "new", found: "new", lock: lock, hasAll: true) == .done
      )
      #expect(next(.spent("old"), wanted: "new", found: "new", lock: lock) == .done)
    }
  }

  @Test("A renewal's answer gives way to a later one and to another sign-in")
  func superseded() {
    #expect(next(.spent("old"), wanted: "new", found: "newer") == .superseded)
    #expect(next(.spent("old"), wanted: "new", found: nil) == .superseded)
  }

  @Test("A renewal without a new credential takes no other process's lock out")
  func foreignLock() {
    #expect(next(.spent("old"), wanted: "old", found: "old", lock: Owners.far) == .superseded)
    #expect(next(.spent("old"), wanted: "old", found: "old", lock: Owners.me) == .again)
    #expect(next(.spent("old"), wanted: "old", found: "old") == .again)
  }

  @Test("A write that is there but for its own lock is not done")
  func ownLock() {
    #expect(
      next(.spent("old"), wanted: "old", found: "old", lock: Owners.me, hasAll: true) == .again
    )
    #expect(next(.spent("old"), wanted: "old", found: "old", hasAll: true) == .done)
  }

  @Test("A change without a claim is made again on what is there")
  func unclaimed() {
    #expect(next(.copy, wanted: "old", found: "newer", lock: Owners.far) == .again)
    #expect(next(.copy, wanted: "old", found: "old", hasAll: true) == .done)
  }

  @Test("A new account is made again where it is missing, and is done where it is")
  func new() {
    let write = Write(owner: Owners.me, basis: .nothing, wanted: "new")
    #expect(write.next(found: nil) == .again)
    #expect(next(.nothing, wanted: "new", found: "newer") == .done)
  }

  @Test("An account that another machine has removed stays removed")
  func removed() {
    for basis in [Write.Basis.copy, .spent("old")] {
      #expect(Write(owner: Owners.me, basis: basis, wanted: "new").next(found: nil) == .removed)
    }
  }

  @Test("A merged object keeps the lock of another process and loses the writer's")
  func lock() {
    let write = Write(owner: Owners.me, basis: .copy, wanted: nil)
    let far = RenewalLock(owner: Owners.far, ttl: 45)
    #expect(write.lock(afterMerging: far) == far)
    #expect(write.lock(afterMerging: RenewalLock(owner: Owners.me, ttl: 45)) == nil)
    #expect(write.lock(afterMerging: nil) == nil)
  }

  @Test("A pending answer is decided in the name of the process that got it")
  func pending() {
    let answer = Write(owner: Owners.neighbour, basis: .spent("old"), wanted: "new")
    func next(_ credential: String?, _ lock: LockOwner?, hasAll: Bool = false) -> NextWrite {
      answer.next(found: .init(credential: credential, lockOwner: lock, hasAll: hasAll))
    }
    #expect(next("old", Owners.neighbour) == .again)
    #expect(next("old", Owners.far) == .again)
    #expect(next("new", nil, hasAll: true) == .done)
    #expect(next("newer", Owners.neighbour) == .superseded)
    #expect(answer.next(found: nil) == .removed)
    #expect(answer.lock(afterMerging: RenewalLock(owner: Owners.neighbour, ttl: 45)) == nil)
  }

  @Test("Two changes to a record are put together, and the writer's counts where both are of one")
  func records() {
    let base: JSONObject = ["name": "a", "note": "renewing", "state": "valid", "gone": 1]
    let mine: JSONObject = ["name": "a", "state": "ended", "new": 1]
    let theirs: JSONObject = ["name": "b", "note": "renewing", "state": "valid", "gone": 1]
    #expect(
      RecordMerge.members(base: base, mine: mine, theirs: theirs) == ["name": "b", "state": "ended", "new": 1]
    )
    var both = theirs
    both["state"] = "expired"
    #expect(
      RecordMerge.members(base: base, mine: mine, theirs: both)["state"] == "ended"
    )
  }

  @Test("Of two histories no event is lost")
  func histories() {
    let base: JSONObject = ["history": "1 a a"]
    let mine: JSONObject = ["history": "1 a a;3 r"]
    let theirs: JSONObject = ["history": "1 a a;2 w b - https://api.example"]
    let both: JSON = "1 a a;2 w b - https://api.example;3 r a"
    #expect(RecordMerge.members(base: base, mine: mine, theirs: theirs)["history"] == both)
    #expect(RecordMerge.members(base: base, mine: mine, theirs: ["history": both]) == ["history": both])
    #expect(RecordMerge.members(base: base, mine: mine, theirs: ["history": "?"]) == mine)
    #expect(RecordMerge.members(base: base, mine: base, theirs: theirs) == theirs)
  }
}

@Suite("Whether an engine has gone back")
struct StandingCheckTests {
  private func standing(_ identifier: String, _ revision: Int64) -> SharedStore.Standing {
    SharedStore.Standing(identifier: identifier, revision: revision)
  }

  @Test("An engine that is as far or farther is fine; an older or another one has gone back")
  func standings() {
    let known = standing("a", 5)
    #expect(StandingCheck(known: nil, now: known) == .fine(known))
    #expect(StandingCheck(known: known, now: known) == .fine(known))
    #expect(StandingCheck(known: known, now: standing("a", 6)) == .fine(standing("a", 6)))
    #expect(StandingCheck(known: known, now: standing("a", 4)) == .rolledBack)
    #expect(StandingCheck(known: known, now: standing("b", 6)) == .rolledBack)
  }

  @Test("An object with a lower version than its copy, or other bytes, contradicts it")
  func objects() {
    func object(_ version: Int64, _ bytes: [UInt8]) -> SharedStore.Object {
      SharedStore.Object(key: "k", bytes: bytes, version: version)
    }
    let copy = object(5, [1])
    #expect(!StandingCheck.contradicts(copy, copy: copy))
    #expect(!StandingCheck.contradicts(object(6, [2]), copy: copy))
    #expect(StandingCheck.contradicts(object(4, [1]), copy: copy))
    #expect(StandingCheck.contradicts(object(5, [2]), copy: copy))
  }
}
