import SharedKeyring
import Testing

/// The rules of a run: those of acct, or some of them taken out to see what they are for.
struct ModelRules: Sendable {
  /// The engine refuses a swap of a version that the object no longer has.
  var guardsVersions = true
  /// A claim is refused by its own machine where a listing has brought a newer copy than the process has read.
  var claimsWhatWasRead = true
  /// A request goes out only while the claim allows it.
  var checksWindow = true
  /// Another machine's lock is waited for.
  var waitsForTTL = true
  /// A lock's time is counted from the engine's answer, not from the question, which can be two steps earlier.
  var countsFromAnswer = true
  /// A claim that ends without a new token leaves another process's lock in the object.
  var leavesForeignLocks = true
  /// A store that is refused is made again on what is there.
  var mergesAnswers = true
  /// An answer is in the pending file before it is stored, not only when that has failed.
  var keepsAnswersFirst = true
  /// A machine's boot clock runs on while the machine is stopped.
  var clocksRunOn = true
  /// The engine may put an earlier object back, and number it as it likes: each time is a fault.
  var engineLies = false
  /// A host uses no object of a lower generation than it has seen.
  var checksGenerations = true
  /// A third machine changes the keyring's key once: it seals the object anew.
  var changesKey = false
  /// It does so only if the version has not changed since it has read the object, and leaves the lock in.
  var resealsByVersion = true
  var resealsLocks = true
  /// A machine that was removed may put an earlier object in, under the former key: each time is a fault.
  var hasIntruder = false
  /// An object of the former key counts no more once all are sealed anew.
  var rejectsFormerKey = true
  /// The hosts are two state folders of one machine.
  var areOneMachine = false
  /// An owner's name has the state folder in it.
  var namesHomes = true

  /// How many renewals there are, and how many faults may happen.
  var renewals: UInt8 = 1
  var faults: UInt8 = 1

  /// In steps, which are seconds to the protocol: requests begin in the first step after the claim, and end by the
  /// next one, where a step is left before the ttl.
  static let ttl: Int64 = 3
  static let timeout: Int64 = 1

  private static let machines = Holder.allCases.map { owner($0, boots: true, homes: true) }
  private static let homes = Holder.allCases.map { owner($0, boots: false, homes: true) }
  private static let processes = Holder.allCases.map { owner($0, boots: false, homes: false) }

  private static func owner(_ holder: Holder, boots: Bool, homes: Bool) -> LockOwner {
    let host = Int64(holder.rawValue + 2) / 3
    let life = Int64(holder.rawValue + 2) % 3
    let boot = boots ? "boot \(host)" : "boot"
    return LockOwner(
      bootID: life == 2 ? "earlier" : boot,
      pidNamespace: 1,
      pid: 10 * host + life,
      startTime: 1,
      home: homes ? "home \(host)" : "home"
    )
  }

  func lock(_ holder: Holder) -> RenewalLock? {
    guard holder != .none else { return nil }
    return RenewalLock(owner: process(holder), ttl: waitsForTTL ? Self.ttl : 0)
  }

  func owner(_ holder: Holder) -> LockOwner? { holder == .none ? nil : process(holder) }

  func process(_ holder: Holder) -> LockOwner {
    let owners = areOneMachine ? namesHomes ? Self.homes : Self.processes : Self.machines
    return owners[Int(holder.rawValue)]
  }

  /// Whether the object is older than a host has seen it.
  func isContradicted(_ seen: UInt8, by credential: UInt8) -> Bool {
    checksGenerations && SeenGeneration(Int64(seen)).isContradicted(by: Int64(credential) + 1, isSame: true)
  }

  /// Whether a host may take the lock that it has just read.
  func mayTake(_ lock: Holder, host: Int, sighting: UInt8?) -> Bool {
    let me = process(.running(host))
    let now = Self.ttl * 1000
    return LockDecision(
      lock: self.lock(lock),
      version: 1,
      me: me,
      ownerRuns: { $0 == me || $0 == process(.running(1 - host)) },
      sighting: sighting.map { Sighting(version: 1, bootID: me.bootID, firstSeen: now - Int64($0) * 1000) },
      now: now
    ).isFree
  }

  /// Whether a claim of this age may be sent, whatever the rules of the run.
  static func isOpen(age: UInt8) -> Bool {
    SendWindow(start: 0, ttl: ttl, timeout: timeout).isOpen(at: Int64(age) * 1000)
  }
}

extension ModelRules: CustomTestStringConvertible {
  var testDescription: String {
    let hosts = areOneMachine ? "two homes" : "two machines"
    let first = keepsAnswersFirst ? "" : ", answers kept late"
    let engine = engineLies ? ", an engine that lies" : ""
    let key = changesKey ? ", a change of the key" : hasIntruder ? ", a removed machine" : ""
    return "\(hosts), renewals: \(renewals), faults: \(faults)\(first)\(engine)\(key)"
  }
}
