/// Does once what many ask for at the same time.
///
/// A caller that arrives during a run waits for the next one, together with all that arrive until that
/// begins, so no result is older than its request, and at most one run is under way for a key. The exception
/// is a result that holds for those who wait as well, such as that there was no answer in time: to run
/// again would have them wait twice as long for the same.
actor Coalescer<Key: Hashable & Sendable, Value: Sendable> {
  /// The callers that wait for a run that has not begun.
  private var waiting: [Key: [CheckedContinuation<Value, Never>]] = [:]
  /// What a run is under way for, or about to begin.
  private var busy: Set<Key> = []
  private let isForAll: @Sendable (Value) -> Bool

  /// - Parameter isForAll: Whether callers that wait for the next run get this result, too.
  init(isForAll: @escaping @Sendable (Value) -> Bool = { _ in false }) { self.isForAll = isForAll }

  /// Joins the next run.
  ///
  /// - Parameters:
  ///   - key: What the work is about.
  ///   - work: The work, which must not differ between two that ask for the same.
  /// - Returns: What the work returned.
  func join(_ key: Key, _ work: @escaping @Sendable () async -> Value) async -> Value {
    await withCheckedContinuation { caller in
      waiting[key, default: []].append(caller)
      guard busy.insert(key).inserted else { return }
      // Not the caller's own task, which can be cancelled while others wait. It hands the result over and
      // keeps none, which may be secret.
      Task { await serve(key, work) }
    }
  }

  /// Runs the work for all that wait, and again for those that have arrived meanwhile.
  private func serve(_ key: Key, _ work: @Sendable () async -> Value) async {
    while let callers = waiting.removeValue(forKey: key) {
      let value = await work()
      let others = isForAll(value) ? waiting.removeValue(forKey: key) ?? [] : []
      for caller in callers + others { caller.resume(returning: value) }
    }
    busy.remove(key)
  }
}
