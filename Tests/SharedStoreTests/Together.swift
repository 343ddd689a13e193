import Dispatch

/// Does something with each of several things at the same time, on threads of their own: the calls block.
///
/// - Returns: What came of each, in their order.
/// - Throws: The first error.
func together<Thing: Sendable, Outcome: Sendable>(
  _ things: [Thing],
  _ body: @escaping @Sendable (_ number: Int, _ thing: Thing) throws -> Outcome
) async throws -> [Outcome] {
  try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
    for (number, thing) in things.enumerated() {
      group.addTask {
        let outcome = await withCheckedContinuation { continuation in
          DispatchQueue(label: "acct.tests.together.\(number)").async {
            continuation.resume(returning: Result { try body(number, thing) })
          }
        }
        return (number, try outcome.get())
      }
    }
    var outcomes: [Int: Outcome] = [:]
    for try await (number, outcome) in group { outcomes[number] = outcome }
    return things.indices.compactMap { outcomes[$0] }
  }
}
