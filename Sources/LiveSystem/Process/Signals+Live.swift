package import AcctPorts
import CLinux
import Dispatch
import Glibc
import Synchronization

extension Signals {
  /// The signals of the process, in whichever thread they arrive.
  ///
  /// One that was ignored when the process started, as SIGHUP under nohup(1), stays ignored. A
  /// watch whose action has been called ignores further signals, so that its reaction can finish: a
  /// terminal that closes sends two. While signals are held back, watches don't get them either.
  package static func live() -> Signals {
    Signals(
      holdBack: {
        let hold = desk.withLock { $0.begin { desk, id in desk.holds.insert(id) } }
        return HeldSignals { settle { $0.holds.remove(hold) } }
      },
      watch: { action in
        startRinging
        let watch = desk.withLock { $0.begin { desk, id in desk.watches[id] = action } }
        return HeldSignals { settle { $0.endWatch(watch) } }
      }
    )
  }
}

/// The current users of signals; one list for the process, as the signals are.
private let desk = Mutex(CommandQueue())

private struct CommandQueue {
  var holds: Set<Int> = []
  /// The actions to call; `nil` once one has been called.
  var watches: [Int: (@Sendable () -> Void)?] = [:]
  private var lastID = 0

  /// Adds an interest under a new number, and takes the signals if it is the first.
  mutating func begin(_ add: (inout CommandQueue, Int) -> Void) -> Int {
    if isEmpty { acct_signals_begin(bell) }
    lastID += 1
    add(&self, lastID)
    return lastID
  }

  var isEmpty: Bool { holds.isEmpty && watches.isEmpty }

  /// The actions to call now.
  mutating func dueActions() -> [@Sendable () -> Void] {
    guard holds.isEmpty, !watches.isEmpty, acct_signals_take() != 0 else { return [] }
    let actions = watches.values.compactMap(\.self)
    for id in watches.keys { watches.updateValue(nil, forKey: id) }
    return actions
  }

  /// Ends a watch; if it has been called, it also consumes the signals that came after that.
  mutating func endWatch(_ id: Int) {
    guard let action = watches.removeValue(forKey: id) else { return }
    if action == nil && isEmpty { _ = acct_signals_take() }
  }
}

/// Removes a user; the last one restores the signals.
private func settle(_ change: (inout CommandQueue) -> Void) {
  desk.withLock { desk in
    let wasEmpty = desk.isEmpty
    change(&desk)
    if desk.isEmpty && !wasEmpty { acct_signals_end() }
  }
  callDueActions()
}

/// Calls outside the lock, since an action may release a watch.
private func callDueActions() {
  for action in desk.withLock({ $0.dueActions() }) { action() }
}

/// The event that the signal handler rings.
private let bell = acct_event()

/// Calls actions on a thread of its own, since a handler must not.
private let startRinging: Void = DispatchQueue(label: "acct.signals").async {
  var rings: UInt64 = 0
  while true {
    let count = unsafe read(bell, &rings, MemoryLayout.size(ofValue: rings))
    guard count > 0 || errno == EINTR else { return }
    callDueActions()
  }
}
