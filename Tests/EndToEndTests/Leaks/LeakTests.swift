import Testing

/// Every system call of acct, searched for secrets in every form.
///
/// Where a secret may be: in what goes to its own server, in the keyring's own traffic, and on the
/// standard output of a command whose purpose it is. Nowhere else: no argument, no environment, no
/// file, no message, no other address.
@Suite("Leaks of secrets")
struct LeakTests {
  @Test("No command shows a secret except to its owner")
  func everywhere() async throws {
    let rows = try await LeakPlay(subject: .calls).everything()
    try await expectEveryCommand(in: rows)
  }

  @Test("ID tokens, a platform's tokens and keys of roles go to their own servers alone")
  func identities() async throws { try await watchIdentities(.calls) }
}
