import AcctTestSupport
import StrictJSON
import Testing

/// A network, a backend on it, and a user who lives there.
struct BackendScene {
  let network: ATProtoNetwork
  let backend: HandoffBackend
  let home: AcctHome
  private let port: FreePort

  /// Starts both.
  ///
  /// - Parameter settings: Of the backend.
  /// - Throws: What starting them throws.
  init(_ settings: JSON = [:]) async throws {
    network = try await ATProtoNetwork()
    backend = try await HandoffBackend(on: network, settings)
    home = try network.home()
    port = try FreePort()
  }

  /// The command line of a sign-in whose callback comes to the loopback listener.
  func loopback(_ arguments: [String] = []) async throws -> ChildProcess {
    let callback = "http://127.0.0.1:\(port.number)/callback"
    try await backend.set(["callback": .string(callback)])
    return home.command(["add", "--backend", backend.address, "--callback", callback] + arguments)
  }

  /// The command line of a sign-in whose callback is brought back by hand.
  func pasted(_ arguments: String...) -> ChildProcess {
    home.command(["add", "--backend", backend.address, "--no-browser"] + arguments)
  }

  /// Signs in by way of the listener, and returns the refusal.
  func refusal(_ arguments: String...) async throws -> Refusal {
    try home.refusal(in: try await loopback(arguments + ["--json"]).run())
  }

  /// Asserts that the data server takes the account's token.
  func expectUsable(_ location: SourceLocation = #_sourceLocation) async throws {
    let checked = try await home.acct("status", "--check")
    #expect(checked.status == 0, "\(checked.errorText)", sourceLocation: location)
  }

  /// Asserts that the backend and the network have seen nothing that only a wrong client does.
  func expectNothingWrong(_ location: SourceLocation = #_sourceLocation) async throws {
    #expect(try await backend.violations() == [], sourceLocation: location)
    #expect(try await network.log().offences == [], sourceLocation: location)
  }

  /// Asserts that no account, no item and no file of one is there.
  func expectNothingKept(_ location: SourceLocation = #_sourceLocation) async throws {
    #expect(try await home.accounts().isEmpty, sourceLocation: location)
    #expect(try await home.traces() == [], sourceLocation: location)
  }
}
