/// Does once what many ask for at the same time.
///
/// A caller that arrives during a run waits for the next one, together with all that arrive until that
/// begins, so no result is older than its request, and at most one run is under way for a key. The exception
/// is a result that holds for those who wait as well, such as that there was no answer in time: to run
/// again would have them wait twice as long for the same.
actor Coalescer<Key: Hashable & Sendable, Value: Sendable> {
  /// The runs that have not begun.
  private var coming: [Key: Task<Value, Never>] = [:]
  /// The runs that are under way.
  private var current: [Key: Task<Value, Never>] = [:]
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
    if let coming = coming[key] { return await coming.value }
    let before = current[key]
    let run = Task {
      let value = await before?.value
      // A caller that arrives from now on waits for the run after this one.
      current[key] = coming[key]
      coming[key] = nil
      if let value, isForAll(value) {
        current[key] = nil
        return value
      }
      let own = await work()
      // A run that is over would keep its result, which may be secret, unless the next one waits for it.
      if coming[key] == nil { current[key] = nil }
      return own
    }
    coming[key] = run
    return await run.value
  }
}
