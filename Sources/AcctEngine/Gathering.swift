/// Does once what many ask for at the same time.
///
/// Who asks while the work is being done does not get what it brings, which may be from before he
/// asked: he gets what the next turn brings, together with all that ask until that begins. So nobody
/// gets an answer that is older than his question, and at most one turn runs for a key.
actor Gathering<Key: Hashable & Sendable, Value: Sendable> {
  /// The turns that have not begun.
  private var coming: [Key: Task<Value, Never>] = [:]
  /// The turns after which the next one begins; they may be over.
  private var last: [Key: Task<Value, Never>] = [:]

  /// Joins the next turn.
  ///
  /// - Parameters:
  ///   - key: What the work is about.
  ///   - work: The work, which must not differ between two that ask for the same.
  /// - Returns: What the work returned.
  func join(_ key: Key, _ work: @escaping @Sendable () async -> Value) async -> Value {
    if let coming = coming[key] { return await coming.value }
    let before = last[key]
    let turn = Task {
      _ = await before?.value
      coming[key] = nil
      return await work()
    }
    coming[key] = turn
    last[key] = turn
    let value = await turn.value
    // A turn that is over would keep what it brought, which may be secret.
    if last[key] == turn { last[key] = nil }
    return value
  }
}
