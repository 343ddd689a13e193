import AcctPrograms
import AcctTestSupport
import StrictJSON
import Testing

/// A program that asks acct for a credential, by bytes that it writes and reads.
struct AskingProgram: CustomTestStringConvertible, Sendable {
  let name: String
  /// The words on the command line behind `helper`, for a URL.
  let words: @Sendable (_ url: String) -> [String]
  /// What it writes to standard input.
  var question: @Sendable (_ url: String) -> String = { _ in "" }
  /// What it sets in the environment.
  var variable: (name: String, value: @Sendable (_ url: String) -> String)?
  /// What it reads for a bearer token that ends at 2027-01-15T09:00:00Z, or so many seconds later.
  let bearer: @Sendable (_ token: String, _ later: Int64) -> String
  /// What it reads where there is none, and the exit status.
  let none: (out: String, status: Int32)
  /// Whether it can send a proof.
  let takesProof: Bool
  /// Whether it asks about any server, so that no account for one is no news.
  let asksForAnyServer: Bool

  var testDescription: String { name }

  /// The URL that each asks for in these tests.
  static let url = "https://issuer.example/path?go-get=1"

  static let all = [kubectl, bazel, go, cargo, keyring]

  static let kubectl = AskingProgram(
    name: "kubectl",
    words: { _ in ["kubectl"] },
    variable: (
      "KUBERNETES_EXEC_INFO",
      { url in
        #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","#
          + #""spec":{"cluster":{"server":"\#(url)"},"interactive":false}}"#
      }
    ),
    bearer: { token, later in
      #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":"#
        + #"{"expirationTimestamp":"2027-01-15T09:\#(minutes(later))Z","token":"\#(token)"}}"#
        + "\n"
    },
    none: ("", 1),
    takesProof: false,
    asksForAnyServer: false
  )

  static let bazel = AskingProgram(
    name: "bazel",
    words: { _ in ["bazel", "get"] },
    question: { #"{"uri":"\#($0)"}"# },
    bearer: { token, later in
      #"{"headers":{"Authorization":["Bearer \#(token)"]},"expires":"2027-01-15T09:\#(minutes(later))Z"}"# + "\n"
    },
    none: ("{}\n", 0),
    takesProof: true,
    asksForAnyServer: true
  )

  static let go = AskingProgram(
    name: "go",
    words: { ["go", $0] },
    bearer: { token, _ in "https://issuer.example\n\nAuthorization: Bearer \(token)\n\n" },
    none: ("", 0),
    takesProof: true,
    asksForAnyServer: true
  )

  static let cargo = AskingProgram(
    name: "cargo",
    words: { _ in ["cargo", "--cargo-plugin"] },
    question: {
      #"{"v":1,"registry":{"index-url":"sparse+\#($0)"},"kind":"get","operation":"read"}"# + "\n"
    },
    bearer: { token, later in
      "{\"v\":[1]}\n"
        + #"{"Ok":{"kind":"get","token":"Bearer \#(token)","cache":"expires","#
        + #""expiration":\#(1_800_003_600 + later),"operation_independent":true}}"# + "\n"
    },
    none: ("{\"v\":[1]}\n{\"Err\":{\"kind\":\"not-found\"}}\n", 0),
    takesProof: false,
    asksForAnyServer: false
  )

  static let keyring = AskingProgram(
    name: "keyring",
    words: { ["keyring", "--mode=creds", "--output=json", "get", $0, "bob"] },
    bearer: { token, _ in #"{"username": "bob", "password": "\#(token)"}"# + "\n" },
    none: ("", 1),
    takesProof: false,
    asksForAnyServer: true
  )

  /// Minutes and seconds of a time of day.
  private static func minutes(_ seconds: Int64) -> String {
    [seconds / 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}

extension RecordedWorld {
  /// Adds an account with a bearer token whose origin the user has given, as cargo needs it.
  func addGiven(changing changes: [String: JSON] = [:]) async {
    #expect(await add(Handoffs.bearer(changing: changes)) == 0)
    #expect(await acct("allow", "bob.example.com", "https://issuer.example") == 0)
  }

  /// Lets a program ask; what it reads is in the record.
  @discardableResult
  func ask(
    _ program: AskingProgram,
    for url: String = AskingProgram.url,
    as account: String? = nil,
    _ words: String...
  ) async -> Int32 {
    if let (name, value) = program.variable { set(name, to: value(url)) }
    provide("-", program.question(url))
    clear()
    let options = account.map { ["--account", $0] } ?? []
    return await run(["helper"] + options + program.words(url) + words)
  }
}
