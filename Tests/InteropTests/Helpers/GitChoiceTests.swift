import AcctTestSupport
import Testing

/// The accounts that acct chooses beside those that git's own store has for the same question, and, where that says nothing
/// of several, beside the rule of Git Credential Manager: the user of the URL, or the only account.
@Suite("The account that git gets, beside git's own store")
struct GitChoiceTests {
  /// A login: its host, its path, its user and its password.
  private typealias Login = (host: String, path: String, user: String, secret: String)

  private static let logins: [Login] = [
    ("two.example", "", "mara", "s-mara"), ("two.example", "org-a/x.git", "mara-at-work", "s-work"),
    ("paths.example", "north/map.git", "x-access-token", "s-north"),
    ("paths.example", "south/map.git", "x-access-token", "s-south"), ("one.example", "", "nils", "s-nils"),
  ]
  private static let paths = ["", "org-a/x.git", "org-a/y.git", "north/map.git", "south/map.git"]

  private let home: AcctHome

  init() throws { home = try .withHelpers() }

  private func password(_ url: String, from helper: String) async throws -> String? {
    let variables = ["GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ASKPASS": "false"]
    let settings = ["-c", "credential.helper=\(helper)", "-c", "credential.useHttpPath=true"]
    let output = try await home.program(
      "git",
      settings + ["credential", "fill"],
      with: variables,
      input: "url=\(url)\n\n"
    ).run()
    return output.text.split(separator: "\n").first { $0.hasPrefix("password=") }.map { String($0.dropFirst(9)) }
  }

  @Test("For forty URLs acct answers as git's store does where that has the login, and else as GCM's rule says")
  func forty() async throws {
    let folder = try TemporaryFolder()
    let lines = Self.logins.map { "https://\($0.user):\($0.secret)@\($0.host)/\($0.path)\n" }
    let store = try folder.file("credentials", containing: lines.joined())
    for login in Self.logins {
      let place = "https://\(login.host)/\(login.path)"
      let added = try await home.acct(
        "add",
        "--token",
        "-",
        "--basic",
        login.user,
        "--allow-origin",
        place,
        input: login.secret
      )
      try #require(added.status == 0, "\(added.errorText)")
    }
    var (asked, stored) = (0, 0)
    for host in ["two.example", "paths.example", "one.example"] {
      let own = Self.logins.filter { $0.host == host }
      let users = ["", "mara", "mara-at-work", "x-access-token", "nils"].filter { user in
        user.isEmpty || host == "two.example" || own.contains { $0.user == user }
      }
      for user in users {
        for path in Self.paths {
          asked += 1
          let url = "https://\(user.isEmpty ? "" : "\(user)@")\(host)/\(path)"
          let answer = try await password(url, from: "acct")
          let exact = own.filter { $0.path == path && (user.isEmpty || $0.user == user) }
          let meant = own.filter { $0.user == user }
          // Of two that fit, the store has the first line, whatever that is; acct names both.
          let isDecided = exact.count == 1 || meant.count == 1
          if isDecided, let known = try await password(url, from: "store --file \(store)") {
            stored += 1
            #expect(answer == known, "\(url)")
            continue
          }
          let candidates = user.isEmpty ? own : meant
          if candidates.count == 1 || exact.count == 1 {
            #expect(answer == (exact.first ?? candidates[0]).secret, "\(url)")
          } else if !user.isEmpty, meant.isEmpty {
            #expect(answer == nil, "\(url)")
          }
        }
      }
    }
    #expect(asked >= 40)
    #expect(stored >= 8)
  }

  @Test("git's own setting of a user for a part of a host gets that user's secret")
  func userOfPart() async throws {
    for (user, token) in [("mara-at-work", "made-up-work"), ("mara", "made-up-mara")] {
      let origin = ["--allow-origin", "https://git.example"]
      let added = try await home.command(
        ["add", "--token", "-", "--name", "\(user)@git.example"] + origin,
        input: token
      ).run()
      try #require(added.status == 0, "\(added.errorText)")
    }
    let settings = """
      [credential "https://git.example"]
      	username = mara
      	helper =
      	helper = acct
      [credential "https://git.example/example-corp"]
      	username = mara-at-work
      	helper =
      	helper = acct
      """
    let folder = try TemporaryFolder()
    let file = try folder.file("gitconfig", containing: settings)
    let variables = ["GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": file]
    for (path, token) in [("example-corp/x.git", "made-up-work"), ("other/x.git", "made-up-mara")] {
      let output = try await home.program(
        "git",
        ["credential", "fill"],
        with: variables,
        input: "url=https://git.example/\(path)\n\n"
      ).run()
      #expect(output.text.contains("password=\(token)\n"), "\(path): \(output.text)\(output.errorText)")
    }
  }
}
