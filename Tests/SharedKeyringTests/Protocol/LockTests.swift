import SharedKeyring
import StrictJSON
import Testing

/// Owners on two machines, the first of which was started again and has processes that do not see each other.
enum Owners {
  static let me = owner(pid: 10)
  static let neighbour = owner(pid: 11)
  static let inContainer = owner(namespace: 2, pid: 11)
  static let beforeReboot = owner("boot-0", pid: 11)
  static let ofOtherHome = owner(pid: 11, home: "8-3")
  static let far = owner("boot-2", pid: 10)

  private static func owner(
    _ boot: String = "boot-1",
    namespace: Int64 = 1,
    pid: Int64,
    home: String = "8-2"
  ) -> LockOwner { LockOwner(bootID: boot, pidNamespace: namespace, pid: pid, startTime: 100, home: home) }
}

@Suite("Who may take an account's lock")
struct LockTests {
  private func decision(
    _ owner: LockOwner?,
    runs: Bool = true,
    sighting: Sighting? = nil,
    now: Int64 = 1000
  ) -> LockDecision {
    LockDecision(
      lock: owner.map { RenewalLock(owner: $0, ttl: 45) },
      version: 7,
      me: Owners.me,
      ownerRuns: { _ in runs },
      sighting: sighting,
      now: now
    )
  }

  private func seen(_ version: Int64 = 7, boot: String = "boot-1", at time: Int64) -> Sighting {
    Sighting(version: version, bootID: boot, firstSeen: time)
  }

  @Test("No lock, a lock of this process and one of a dead process of this machine are free at once")
  func atOnce() {
    #expect(decision(nil) == .take)
    #expect(decision(Owners.me) == .mine)
    #expect(decision(Owners.neighbour, runs: false) == .take)
  }

  @Test("An owner that this process cannot see is waited for, dead or not")
  func invisible() {
    for owner in [Owners.inContainer, Owners.beforeReboot, Owners.ofOtherHome, Owners.far] {
      #expect(decision(owner, runs: false) == .wait(milliseconds: 45_000))
    }
    #expect(decision(Owners.neighbour) == .wait(milliseconds: 45_000))
  }

  @Test("A lock is free when its version has stood for the ttl")
  func byTime() {
    #expect(
      decision(Owners.far, sighting: seen(at: 1000), now: 45_999) == .wait(milliseconds: 1)
    )
    #expect(decision(Owners.far, sighting: seen(at: 1000), now: 46_000) == .take)
  }

  @Test("A sighting of another version, of another boot or from the future counts for nothing")
  func otherSightings() {
    for sighting in [seen(6, at: 0), seen(boot: "boot-0", at: 0), seen(at: 100_001)] {
      #expect(
        decision(Owners.far, sighting: sighting, now: 100_000) == .wait(milliseconds: 45_000)
      )
    }
  }

  @Test("A sighting is kept while version and boot are the same, and is made anew otherwise")
  func keeping() {
    let first = Sighting.of(version: 7, bootID: "boot-1", now: 1000, after: nil)
    #expect(first == seen(at: 1000))
    #expect(Sighting.of(version: 7, bootID: "boot-1", now: 2000, after: first) == first)
    #expect(
      Sighting.of(version: 8, bootID: "boot-1", now: 2000, after: first) == seen(8, at: 2000)
    )
    #expect(
      Sighting.of(version: 7, bootID: "boot-3", now: 5, after: first) == seen(boot: "boot-3", at: 5)
    )
    #expect(Sighting.of(version: 7, bootID: "boot-1", now: 999, after: first) == seen(at: 999))
  }

  @Test("A lock and a sighting are read as they were written, and nothing else is")
  func forms() throws {
    for note in [nil, "a note"] {
      let lock = RenewalLock(owner: Owners.me, ttl: 45, note: note)
      #expect(RenewalLock(try JSON(parsing: lock.json.serialized())) == lock)
    }
    for ttl in [-1, RenewalLock.longestTTL + 1] {
      #expect(RenewalLock(RenewalLock(owner: Owners.me, ttl: ttl).json) == nil)
    }
    #expect(RenewalLock([:]) == nil)
    #expect(RenewalLock(nil) == nil)
    let sighting = seen(at: 1000)
    #expect(Sighting(parsing: sighting.serialized()) == sighting)
    #expect(Sighting(parsing: seen(at: -1).serialized()) == nil)
    #expect(Sighting(parsing: Array("{}".utf8)) == nil)
  }
}

@Suite("When a claim's request may be sent")
struct SendWindowTests {
  @Test("A request that may be sent is over a second before any other machine stops waiting")
  func window() {
    let window = SendWindow(start: 5000, ttl: SendWindow.ttl(timeout: 30), timeout: 30)
    #expect(window.ttl == 45)
    #expect(window.isOpen(at: 5000))
    #expect(window.isOpen(at: 18_999))
    #expect(!window.isOpen(at: 19_000))
    #expect(18_999 + 30_000 < 5000 + 45_000 - 1000)
  }

  @Test("A clock that went back closes the window, and so does a timeout as long as the ttl")
  func closed() {
    #expect(!SendWindow(start: 5000, ttl: 45, timeout: 30).isOpen(at: 4999))
    #expect(!SendWindow(start: 5000, ttl: 30, timeout: 30).isOpen(at: 5000))
  }

  @Test("A timeout of any length makes a lock that can be read, and a window")
  func longTimeout() {
    for timeout in [1, 1 << 40, .max] as [Int64] {
      let ttl = SendWindow.ttl(timeout: timeout)
      #expect(RenewalLock(RenewalLock(owner: Owners.me, ttl: ttl).json) != nil)
      let window = SendWindow(start: 5000, ttl: ttl, timeout: timeout)
      #expect(window.isOpen(at: 18_999))
      #expect(!window.isOpen(at: 19_000))
    }
  }
}
