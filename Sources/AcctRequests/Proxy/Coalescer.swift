/// Does work once for all callers that request it at the same time.
///
/// A caller that arrives during a run waits for the next one, together with all that arrive until that begins, so no
/// result is older than its request, and at most one run is in progress for a key. The exception is a result that also
/// holds for the waiting callers, such as a timeout: another run would make them wait twice as long for the same
/// result.
actor Coalescer<Key: Hashable & Sendable, Value: Sendable> {
  /// The callers that wait for a run that has not begun.
  private var waiting: [Key: [CheckedContinuation<Value, Never>]] = [:]
  /// The keys with a run in progress, or about to begin.
  private var busy: Set<Key> = []
  private let isForAll: @Sendable (Value) -> Bool

  /// - Parameter isForAll: Returns `true` for a result that callers waiting for the next run get, too.
  init(isForAll: @escaping @Sendable (Value) -> Bool = { _ in false }) { self.isForAll = isForAll }

  /// Joins the next run.
  ///
  /// - Parameters:
  ///   - key: The subject of the work.
  ///   - work: The work, which must not differ between two callers with the same key.
  /// - Returns: What the work returned.
  func join(_ key: Key, _ work: @escaping @Sendable () async -> Value) async -> Value {
    await withCheckedContinuation { caller in
      waiting[key, default: []].append(caller)
      guard busy.insert(key).inserted else { return }
      // Not the caller's own task, which can be cancelled while others wait. It hands over the result, which may be
      // secret, and keeps none.
      Task { await serve(key, work) }
    }
  }

  /// Runs the work for all waiting callers, and again for those that arrive meanwhile.
  private func serve(_ key: Key, _ work: @Sendable () async -> Value) async {
    while let callers = waiting.removeValue(forKey: key) {
      let value = await work()
      let others = isForAll(value) ? waiting.removeValue(forKey: key) ?? [] : []
      for caller in callers + others { caller.resume(returning: value) }
    }
    busy.remove(key)
  }
}
