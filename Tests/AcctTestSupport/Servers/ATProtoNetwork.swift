package import StrictJSON

/// A small AT Protocol network of a test's own: directory, data servers, authorization servers, DNS.
///
/// It is `Tests/StrictServer/atproto_server.py`, whose README says what can be set.
package final class ATProtoNetwork: Sendable {
  /// The network's first line: its addresses and accounts.
  package let addresses: JSON
  private let server: PythonServer

  /// Starts a network, and returns when it serves.
  ///
  /// - Throws: ``ProcessFailure``, ``HarnessFailure``, `JSONError`.
  package init() async throws {
    server = try await PythonServer("StrictServer/atproto_server.py")
    addresses = try JSON(parsing: Array(server.greeting.utf8))
  }

  /// One of the addresses, such as `pds`.
  package subscript(name: String) -> String { addresses[name]?.stringValue ?? "" }

  /// The DID of an account, by the handle that it began with.
  package func did(_ handle: String) -> String { addresses["accounts"]?[handle]?.stringValue ?? "" }

  /// An empty `ACCT_HOME` whose user lives on this network and approves of everything.
  ///
  /// - Parameters:
  ///   - variables: More of the environment.
  ///   - hasVault: Whether its vault is there already.
  /// - Returns: The home.
  /// - Throws: ``ProcessFailure`` if there is no place for it.
  package func home(with variables: [String: String] = [:], hasVault: Bool = true) throws(ProcessFailure) -> AcctHome {
    let own = ["ACCT_PLC_URL": self["plc"], "ACCT_DNS_SERVER": self["dns"], "BROWSER": StrictServer.desktopBrowser]
    return try AcctHome(with: own.merging(variables) { $1 }, hasVault: hasVault)
  }

  /// Gives a command to the network, and returns its answer.
  @discardableResult
  package func control(_ command: String, _ body: JSON = [:]) async throws -> JSON {
    let text = String(decoding: body.serialized(), as: UTF8.self)
    let answer = try await curl("--data", text, "\(self["control"])/\(command)")
    guard answer.status == 200 else { throw HarnessFailure("\(command): \(answer.body)") }
    return try JSON(parsing: Array(answer.body.utf8), maximumBytes: 1 << 24)
  }

  /// Changes settings.
  package func set(_ settings: JSON) async throws { try await control("settings", settings) }

  /// Makes a request as people do, with header lines on standard input.
  package func curl(_ arguments: String..., headers: String = "") async throws -> (status: Int, body: String) {
    let options = ["--silent", "--show-error", "--header", "@-", "--write-out", "\n%{http_code}"]
    let output = try await ChildProcess("curl", options + arguments, input: headers).run()
    guard output.status == 0 else { throw HarnessFailure(output.errorText) }
    let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false)
    return (Int(lines[lines.count - 1]) ?? 0, lines.dropLast().joined(separator: "\n"))
  }

  /// What the network has seen.
  package func log() async throws -> ATProtoLog { ATProtoLog(try await control("log")) }
}

extension JSON {
  /// A member of an object.
  package subscript(name: String) -> JSON? { objectValue?[name] }
}
