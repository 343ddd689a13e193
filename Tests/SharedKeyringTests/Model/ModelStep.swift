/// What happened between two states, for the trace.
struct ModelStep {
  var host: Int
  var event: Event

  enum Event: String {
    case reads = "reads the object"
    case waits = "reads the object, and waits for its lock"
    case lists = "lists all accounts in another process, and has a newer copy"
    case claims = "swaps its lock in"
    case claimsUnanswered = "swaps its lock in, and gets no answer"
    case claimLurks = "sends a swap for its lock, which is late"
    case claimRefused = "is refused its lock: the object has changed"
    case claimFails = "does not reach the engine with its lock"
    case checks = "checks the window: open"
    case finds = "checks the window: closed"
    case ignores = "does not look at the window, which is closed"
    case sends = "sends the refresh token"
    case arrives = "has its token taken by the server"
    case reuses = "has its token rejected: it was spent before"
    case requestLost = "loses its request on the way"
    case answered = "gets the server's answer"
    case answerLost = "loses the server's answer on the way"
    case stores = "stores what it has"
    case storesUnanswered = "stores what it has, and gets no answer"
    case storeLurks = "sends a swap to store what it has, which is late"
    case storeRefused = "is refused its store: the object has changed"
    case storeFails = "does not reach the engine with its store"
    case isDone = "reads the object: what it has is there"
    case goesOn = "reads the object, and will swap again"
    case gaveWay = "reads the object, which has newer"
    case keeps = "keeps its answer in the pending file"
    case drops = "gives up a store without an answer"
    case takesUp = "takes up its pending answer"
    case renames = "renames the account"
    case ends = "ends its process"
    case isKilled = "has its process killed"
    case isKilledLate = "has its process killed, and the server takes its token"
    case reboots = "is started again"
    case isCut = "no longer reaches the engine"
    case isBack = "reaches the engine again"
    case bothCut = "and the other no longer reach the engine"
    case lurked = "has its late swap applied"
    case putsBack = "the engine puts an earlier object back"
    case readsToReseal = "a third machine reads the object, to seal it with a new key"
    case reseals = "it seals the object with the new key"
    case resealRefused = "it is refused: the object has changed"
    case plants = "a removed machine puts an earlier object in, under the former key"
    case ticks = "lets a second pass"
    case pauses = "stands still for a second, and its clock"
  }

  /// Whether it is one of those that a run has a number of.
  var isFault: Bool {
    switch event {
    case .claimsUnanswered, .claimLurks, .requestLost, .answerLost, .storesUnanswered, .storeLurks, .isKilled,
      .isKilledLate, .reboots, .isCut, .bothCut, .renames, .putsBack, .plants:
      true
    case .reads, .waits, .lists, .claims, .claimRefused, .claimFails, .checks, .finds, .sends, .arrives, .reuses,
      .answered, .stores, .storeRefused, .storeFails, .isDone, .goesOn, .gaveWay, .keeps, .drops, .takesUp, .ends,
      .isBack, .lurked, .ticks, .ignores, .pauses, .readsToReseal, .reseals, .resealRefused:
      false
    }
  }

  var description: String {
    switch event {
    case .ticks: "a second passes"
    case .putsBack, .plants, .readsToReseal, .reseals, .resealRefused: event.rawValue
    default: "host \(host + 1) \(event.rawValue)"
    }
  }
}
