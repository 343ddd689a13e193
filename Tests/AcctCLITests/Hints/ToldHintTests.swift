import AcctModel
import AcctPorts
import AcctTestSupport
import Testing

/// Hints that have no line of acct's: a person does what they say, and the same command does not fail as before.
@Suite("The hints that a person follows")
struct ToldHintTests {
  /// A failure, and what its hint is followed by.
  struct Row: CustomTestStringConvertible, Sendable {
    let hint: String
    let status: Int32
    let command: [String]
    /// The command as the hint wants it; the same where something else is to change.
    var corrected: [String]?
    var arrange: @Sendable (RecordedWorld) async throws -> Void = { _ in }
    var follow: @Sendable (RecordedWorld) async throws -> Void = { _ in }

    var testDescription: String { "\(status) \(hint)" }
  }

  private static let url = "\(StaticTokens.origin)/x"
  private static let add = ["add", "--token", "new", "--allow-origin", "https://new.example"]

  private static let rows = [
    Row(
      hint: "`chmod 600 new`",
      status: 65,
      command: add,
      arrange: { $0.secretFiles.expose("new") },
      follow: { $0.secretFiles.expose("new", false) }
    ),
    Row(
      hint: "check what is in it first; `acct doctor` has one line for all such files",
      status: 65,
      command: ["status", "work"],
      arrange: { record in try record.expose(record.onlyAccount()) },
      follow: { record in try record.expose(record.onlyAccount(), false) }
    ),
    Row(
      hint: "update acct on this machine",
      status: 65,
      command: ["token", "-a", "work"],
      arrange: { record in try record.setVersion(2) },
      follow: { record in try record.setVersion(1) }
    ),
    Row(
      hint: "start a Secret Service provider, such as gnome-keyring, on the session bus",
      status: 7,
      command: ["header", url],
      arrange: { $0.keyring.fail(with: .unavailable(reason: "made up")) },
      follow: { $0.keyring.fail(with: nil) }
    ),
    Row(
      hint: "run `acct keyring unlock`, then try again; nothing was changed",
      status: 6,
      command: ["header", url],
      arrange: { $0.keyring.lock() },
      follow: { record in
        record.keyring.unlockWhenAsked()
        #expect(await record.acct("keyring", "unlock") == 0)
      }
    ),
    Row(
      hint: "as in https://api.example.com",
      status: 64,
      command: ["allow", "work", "api.example.com"],
      corrected: ["allow", "work", "https://api.example.com"]
    ),
    Row(
      hint: "as in 2027-01-31, 2027-01-31T12:00:00Z, or 90d from now",
      status: 64,
      command: add + ["--expires", "31.1.2027"],
      corrected: add + ["--expires", "2027-01-31"]
    ),
    Row(
      hint: "as in --scheme Token; none sends the token alone",
      status: 64,
      command: add + ["--scheme", "a b"],
      corrected: add + ["--scheme", "Token"]
    ),
    Row(
      hint: "as in --header X-API-Key",
      status: 64,
      command: add + ["--header", "a b"],
      corrected: add + ["--header", "X-API-Key"]
    ),
    Row(hint: "the accounts are work", status: 5, command: ["status", "home"], corrected: ["status", "work"]),
    Row(
      hint: "each of its lines is the name of an account; `acct switch --here NAME` writes it anew",
      status: 65,
      command: ["header", url],
      arrange: { $0.place([.unusable(path: "/home/.acct", reason: "its first line is empty")]) },
      follow: { $0.place([]) }
    ),
    Row(
      hint: "nothing was wrong with the account; try again",
      status: 10,
      command: ["request", url],
      arrange: { $0.serve { _ throws(HTTPFailure) in throw .unreachable(reason: "made up") } },
      follow: { $0.serve(200, "{}") }
    ),
    Row(
      hint: "try again in 7 s, at 08:00*",
      status: 9,
      command: ["request", url],
      arrange: { $0.serve(429, "{}", [("Retry-After", "7")]) },
      follow: { $0.serve(200, "{}") }
    ),
    Row(
      hint: "`--passphrase-file FILE`, or set ACCT_EXPORT_PASSPHRASE_FILE",
      status: 64,
      command: ["export", "work"],
      follow: { record in
        record.secretFiles["pass"] = "made-up passphrase"
        record.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
      }
    ),
    Row(
      hint: "set ACCT_KEY_PIN_FILE",
      status: 6,
      command: ["header", "https://as.example/x", "--no-input"],
      arrange: { record in
        _ = record.serveDPoP()
        record.answer("1234", "1234")
        #expect(await record.signIn("--key", "tpm", "--pin") == 0, "\(record.err)")
      },
      follow: { record in
        record.secretFiles["/run/pin"] = "1234"
        record.set("ACCT_KEY_PIN_FILE", to: "/run/pin")
      }
    ),
  ]

  @Test("The same command does not fail as before once a person has done what a hint says", arguments: rows)
  func followed(row: Row) async throws {
    let record = RecordedWorld()
    #expect(await record.addToken(StaticTokens.token, at: StaticTokens.origin, "--name", "work") == 0)
    record.secretFiles["new"] = "made-up-token"
    try await row.arrange(record)
    let first = await record.ended(row.command)
    #expect(first.status == row.status, "\(first)")
    #expect(first.hint.map { ToldHints.fits($0, row.hint) } == true, "\(first)")
    try await row.follow(record)
    let second = await record.ended(row.corrected ?? row.command)
    #expect(second.status == 0, "\(second)")
  }
}

extension RecordedWorld {
  fileprivate func ended(_ command: [String]) async -> EndedRun {
    clear()
    let status = await run(command)
    return EndedRun(command, status, lines: err)
  }

  /// Makes the account's file one of another version.
  fileprivate func setVersion(_ number: Int) throws {
    let file = StoredFile.account(try onlyAccount())
    let other = #""version":\#(3 - number),"#
    corrupt(file, with: try #require(self.file(file)).replacing(other, with: #""version":\#(number),"#))
  }
}
