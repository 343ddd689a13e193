/// All that two hosts, the engine and the authorization server are at a moment.
///
/// Credentials are numbers: the server's current refresh token is `issued`, and each renewal makes the next one.
/// Versions are not numbers but what they are for: a guard is either that of the object as it is, or stale for ever.
/// Times are ages, in steps, that stop at the lock's ttl. So the states are finite, although runs are not.
struct ModelState {
  var first = ModelHost()
  var second = ModelHost()

  /// The account's object on the engine.
  var credential: UInt8 = 0
  var lock = Holder.none

  /// The server's current refresh token; any lower one that arrives is a reuse.
  var issued: UInt8 = 0
  /// The window that has kept the current one from the engine, if one has.
  var orphan = Window.none
  /// A reuse was seen: the server has ended the session.
  var ended = Ending.none
  /// The window that explains it.
  var excuse = Window.none

  /// Another machine's change of the key: whether it is still to seal the object anew, and the object as it has read it.
  var isToReseal = false
  var resealing: Resealing?
  /// A machine that was removed has put an earlier object back, under the former key.
  var isFormer = false

  /// Faults that may still happen.
  var faults: UInt8

  subscript(host: Int) -> ModelHost {
    get { host == 0 ? first : second }
    set { if host == 0 { first = newValue } else { second = newValue } }
  }

  struct Resealing {
    var isCurrent = true
    var credential: UInt8
    var lock: Holder
  }

  enum Ending: UInt8 { case none, excused, unexcused }
}

/// One host: the process of acct that runs there, its files, and a swap of it that the network still has.
struct ModelHost {
  var phase = Phase.idle
  /// Whether the version that guards its next swap is still the object's.
  var isCurrent = false
  /// The refresh token that its claim is for, and the one to be stored, here or in the pending file.
  var spent: UInt8 = 0
  var brought: UInt8 = 0
  /// Steps since its claim's swap, and since its request.
  var age: UInt8 = 0
  var requestAge: UInt8 = 0
  /// Another process's lock, which its next store keeps.
  var keeps = Holder.none
  /// A store has failed, and not been refused: the engine was away.
  var hasFailed = false
  /// Its last check was made within the window, and its request went out after it.
  var wasOpen = false
  var isLate = false
  /// Why its claim may be for a token that is spent, if a documented window was met.
  var excuse = Window.none

  /// Whether it reaches the engine.
  var isConnected = true
  /// Steps since it first saw the object as it is, `nil` if it has not.
  var sighting: UInt8?
  /// The generation of the latest object that it has seen, 0 for none: one more than its credential's number.
  ///
  /// Counted only where the engine lies; an honest one never goes back.
  var seen: UInt8 = 0
  /// The process that has left a pending answer.
  var pending = Holder.none
  /// A swap that was sent and given up, and may still arrive.
  var lurking: Lurking?

  struct Lurking {
    var isCurrent: Bool
    var isClaim: Bool
    var credential: UInt8
    var lock: Holder
  }

  enum Phase: UInt8 {
    /// No process, or one that does nothing.
    case idle
    /// It has read the object, and may take the lock.
    case ready
    /// Its lock is in the object.
    case claimed
    /// The last check before the request has passed.
    case checked
    /// The request is on its way.
    case sent
    /// The server has taken the token, and its answer is on its way.
    case taken
    /// It has something to store, with or without a new token.
    case holding
    /// A store was refused or not answered: it reads the object again.
    case unconfirmed
  }
}

/// A process that a lock or a pending file can name.
enum Holder: UInt8, CaseIterable {
  case none
  /// The process that runs on a host, one of the same boot that is gone, and one of an earlier boot.
  case firstRunning, firstGone, firstRebooted
  case secondRunning, secondGone, secondRebooted

  init(_ host: Int, _ life: Int) { self = Self.allCases[1 + host * 3 + life] }

  static func running(_ host: Int) -> Holder { host == 0 ? .firstRunning : .secondRunning }

  /// The same, on the other host.
  var mirrored: Holder { self == .none ? .none : Self.allCases[(Int(rawValue) + 2) % 6 + 1] }
}

/// The windows in which a token can be sent twice, as the documents have them.
enum Window: UInt8, CaseIterable, CustomStringConvertible {
  case none
  /// The process was killed between the server's taking of the token and the stored or pending answer.
  case killed
  /// The same process was stopped there until others had stopped waiting.
  case stopped
  /// The network has lost the server's answer.
  case unanswered
  /// The process was stopped between the last check and the send.
  case lastCheck
  /// The engine was away from a process with an answer until others had stopped waiting.
  case away
  /// The answer lay in the pending file, and the host had not come to store it: the engine was away, or the process was
  /// killed.
  case pending
  /// The engine has put an earlier object back, and the process has seen none that is newer.
  case unseen

  var description: String {
    switch self {
    case .none: "none"
    case .killed: "killed"
    case .stopped: "stopped"
    case .unanswered: "unanswered"
    case .lastCheck: "last check"
    case .away: "engine away"
    case .pending: "pending"
    case .unseen: "unseen"
    }
  }
}
