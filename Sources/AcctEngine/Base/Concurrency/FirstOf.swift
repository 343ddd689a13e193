/// The result of the first source that ends; the others are cancelled, and waited for.
func first<Value: Sendable>(of sources: [@Sendable () async -> Value?]) async -> Value? {
  await withTaskGroup(of: Value?.self) { group in
    for source in sources { group.addTask { await source() } }
    let value = await group.next() ?? nil
    group.cancelAll()
    return value
  }
}

/// Waits until the task is cancelled.
func forever() async {
  let (nothing, ending) = AsyncStream.makeStream(of: Never.self)
  for await _ in nothing {}
  ending.finish()
}
