import AcctTestSupport
import StrictJSON
import Testing

extension AcctHome {
  /// The command line of a login, with a browser in some mood.
  func login(mood: String?, _ options: String...) -> ChildProcess {
    var command = command(["login"] + options)
    if mood != nil, command.environment["BROWSER"] == nil {
      command.environment["BROWSER"] = StrictServer.desktopBrowser
    }
    if let mood { command.environment["STRICT_BROWSER"] = mood }
    return command
  }

  /// Asserts that the account's server takes its token.
  func expectChecked(_ location: SourceLocation = #_sourceLocation) async throws {
    let checked = try await acct("status", "--check")
    #expect(checked.status == 0, "\(checked.errorText)", sourceLocation: location)
  }

  /// Asserts that the only account is still what it was, but for its tokens and some members.
  func expectKept(
    _ before: JSON,
    besides changed: [String] = [],
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let after = try await account()
    let members = ["id", "name", "kind", "issuer", "service", "origins", "scope", "clientId", "provider", "createdAt"]
    for member in members where !changed.contains(member) {
      #expect(after[member] == before[member], "\(member)", sourceLocation: location)
    }
    #expect(try await accounts().count == 1, sourceLocation: location)
  }
}
