import AcctTestSupport
import Testing

/// Programs that Debian has not, or not in a version with the protocol: what each writes and has to read, byte
/// for byte, with the built command.
@Suite("Exchanges with programs in their protocols' own words")
struct ExchangeTests {
  private static let token = "made-up-token-of-this-test"

  /// The one of all exchanges, which change nothing: an account with a bearer token, whose end is not known.
  private static let home = Task {
    let home = try AcctHome.withHelpers()
    try await home.addBearer("work", at: "https://own.example", token: token)
    return home
  }

  /// Runs it.
  private func check(_ exchange: Exchange) async throws {
    let home = try await Self.home.value
    let ran = try await home.program(
      exchange.words[0],
      Array(exchange.words.dropFirst()),
      with: exchange.variables,
      input: exchange.input
    ).run()
    #expect(ran.text == exchange.output.replacing("TOKEN", with: Self.token), "\(ran.errorText)")
    #expect(ran.status == exchange.status)
    #expect(!ran.errorText.contains(Self.token))
  }

  @Test("Git from 2.46 on gets the scheme and the token, which it does not keep", arguments: Exchange.git)
  func git(_ exchange: Exchange) async throws { try await check(exchange) }

  @Test("A client of Kubernetes gets an ExecCredential, or nothing and 1", arguments: Exchange.kubectl)
  func kubectl(_ exchange: Exchange) async throws { try await check(exchange) }

  @Test("Bazel gets header lines in JSON, or none", arguments: Exchange.bazel)
  func bazel(_ exchange: Exchange) async throws { try await check(exchange) }

  @Test("The go command gets header lines below the server's URL, or nothing", arguments: Exchange.goCommand)
  func goCommand(_ exchange: Exchange) async throws { try await check(exchange) }

  @Test("Cargo is greeted, and gets the whole header or a kind of error", arguments: Exchange.cargo)
  func cargo(_ exchange: Exchange) async throws { try await check(exchange) }

  @Test("A program that runs keyring gets a password in the form that it asks for", arguments: Exchange.keyring)
  func keyring(_ exchange: Exchange) async throws { try await check(exchange) }
}
