import Testing

/// What is left of a secret when the work with it is done, or could not be done.
///
/// The whole memory that the process could write to is searched, between the end of its work and the
/// kernel's taking it away: heap, stacks and variables, of acct and of every library.
@Suite("Memory when all is done")
struct MemoryTests {
  @Test("holds no secret that the command has worked with")
  func everywhere() async throws {
    let rows = try await LeakPlay(subject: .memory).everything()
    try await expectEveryCommand(in: rows)
  }
}
