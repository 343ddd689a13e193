import AcctModel
import AcctPrograms
import AcctProtocol
import AcctTestSupport
import Secrets
import Testing

/// acct's reading of generated files beside that of the programs whose files they are.
///
/// Where acct leaves out an entry of a server, and says so, the program may use that one: then only what acct takes is
/// compared.
@Suite("Files of other programs, beside these programs")
struct ForeignReadingTests {
  private let folder: TemporaryFolder
  private let server: PythonServer
  private let address: String
  /// Host and port.
  private let host: String

  init() async throws {
    folder = try TemporaryFolder()
    server = try await PythonServer("Recipes/authorization_log.py")
    address = try server.address("server")
    host = String(address.dropFirst("http://".count))
  }

  private func run(
    _ program: String,
    _ arguments: [String],
    _ variables: [String: String] = [:],
    input: String = ""
  ) async throws -> ChildProcess.Output {
    var environment = ChildProcess.plainEnvironment
    environment["HOME"] = folder.path
    environment.merge(variables) { $1 }
    return try await ChildProcess(program, arguments, environment: environment, input: input).run()
  }

  /// A login as the scheme Basic has it.
  private func pair(_ login: FoundLogin) -> String {
    guard case .value(let secret) = login.secret else { return "?" }
    return switch login.form {
    case .userIsToken(let password): secret.shownText + (password.map { ":\($0)" } ?? "")
    case .password: "\(login.user ?? ""):\(secret.shownText)"
    case .bearer: "Bearer \(secret.shownText)"
    case .bare, .session: secret.shownText
    }
  }

  @Test("A .netrc gives the logins that curl sends")
  func netrc() async throws {
    var files = MadeUpFiles(seed: 47)
    for _ in 0..<TestExtent.count(8, full: 300) {
      let text = files.netrc()
      let path = try folder.file("netrc", containing: text)
      let command = [
        "-sS", "--noproxy", "*", "--netrc-file", path, "--connect-to", "::\(host)", "-w", "\n%{exitcode}\n",
      ]
      guard let found = try? NetrcFile.logins(in: Secret(text)) else {
        // To know that there is no entry, curl reads all of it; the one for any host would be enough.
        guard !text.lowercased().contains("default") else { continue }
        #expect(try await run("curl", command + ["http://none.example/"]).status == 26, "\(text)")
        continue
      }
      var questions = MadeUpFiles.hosts.map { (host: $0, user: String?.none) }
      for login in found.logins {
        if let user = login.user { questions.append((login.place, user)) }
      }
      let urls = questions.map { "http://\($0.user.map { "\(percentEncoded($0))@" } ?? "")\($0.host)/" }
      let answers = try await run("curl", command + urls).text.split(separator: "\n").map(String.init)
      guard answers.count == 2 * questions.count else {
        Issue.record("curl said something else: \(answers) of \(text)")
        continue
      }
      for (index, question) in questions.enumerated() {
        // Neither a user nor a password is no login.
        let sent = answers[2 * index].replacing("Basic \(base64(":"))", with: "-")
        let known = found.logins.filter { $0.place == question.host }
        let own = known.filter { question.user == nil || $0.user == question.user }
        let isWhole = !found.skipped.contains { ["default", question.host].contains($0.name.lowercased()) }
        // An entry without a login counts for curl if no other entry follows it, or did so before CVE-2024-11053.
        // Where a value is missing, `default` may be taken for it.
        guard isWhole, !known.isEmpty || !text.lowercased().contains("default"),
          question.user != nil || !known.contains(where: { $0.user == nil })
        else { continue }
        #expect(sent == (own.first.map { "Basic \(base64(pair($0)))" } ?? "-"), "\(question) of \(text)")
      }
    }
  }

  @Test("A .git-credentials gives the logins that git-credential-store gives")
  func git() async throws {
    var files = MadeUpFiles(seed: 47)
    for _ in 0..<TestExtent.count(6, full: 300) {
      let text = files.gitCredentials()
      let path = try folder.file("git", containing: text)
      let found = GitCredentialFile.logins(in: Secret(text))
      func given(_ host: String, path place: String?, user: String?) async throws -> String? {
        var question = "protocol=https\nhost=\(host)\n"
        if let place { question += "path=\(place.dropFirst())\n" }
        if let user { question += "username=\(user)\n" }
        let answer = try await run("git", ["credential-store", "--file", path, "get"], input: question).text
        var values = ["", ""]
        for line in answer.split(separator: "\n") {
          if line.hasPrefix("username=") { values[0] = String(line.dropFirst(9)) }
          if line.hasPrefix("password=") { values[1] = String(line.dropFirst(9)) }
        }
        return answer.isEmpty ? nil : values.joined(separator: ":")
      }
      for login in found.logins where login.origins[0].scheme == .https {
        let place = login.path?.replacing("%20", with: " ")
        let user = login.user ?? String(pair(login).prefix { $0 != ":" })
        let sent = try await given(login.place, path: place, user: user)
        // Of one user without a path, git gives the first line, which may have a path.
        let same = found.logins.filter { $0.place == login.place && pair($0).hasPrefix("\(user):") }
        #expect(same.contains { pair($0) == sent }, "\(login.place) of \(text)")
      }
      for host in MadeUpFiles.hosts + ["a.example:8443", "[::1]"] {
        let isWhole = !found.skipped.contains { $0.name == host || $0.name.hasPrefix("line") }
        guard isWhole else { continue }
        let first = found.logins.first { $0.place == host && $0.origins[0].scheme == .https }
        #expect(try await given(host, path: nil, user: nil) == first.map(pair), "\(host) of \(text)")
      }
    }
  }

  @Test("docker's config.json gives the logins that skopeo sends for a registry and for its parts")
  func docker() async throws {
    var files = MadeUpFiles(seed: 47)
    for _ in 0..<TestExtent.count(4, full: 300) {
      let text = files.dockerConfig(host)
      let path = try folder.file("docker", containing: text)
      let found = try DockerConfigFile.logins(in: Secret(text))
      guard found.skipped.isEmpty else { continue }
      for image in ["x", "team-a/x", "team-b/x"] {
        _ = try await run("curl", ["-s", "\(address)/seen"])
        _ = try await run(
          "skopeo",
          ["--insecure-policy", "inspect", "--tls-verify=false", "docker://\(host)/\(image):latest"],
          ["REGISTRY_AUTH_FILE": path]
        )
        let seen = try await run("curl", ["-s", "\(address)/seen"]).text.split(separator: "\n")
        let sent = seen.last { $0.hasPrefix("/v2/\(image)/") }?.split(separator: " ", maxSplits: 1).last
          .flatMap { $0 == "Basic \(base64(":"))" ? nil : $0 }
        let fitting = found.logins.filter { login in
          Place(login.origins[0], path: login.path ?? "").holds("/\(image)")
        }
        let longest = fitting.map { ($0.path ?? "").count }.max()
        let nearest = fitting.filter { ($0.path ?? "").count == longest }.map { "Basic \(base64(pair($0)))" }
        // Two users of one registry are two accounts; skopeo takes one of them.
        #expect(nearest.contains(sent.map(String.init) ?? "") || nearest.isEmpty && sent == nil, "\(image) of \(text)")
      }
    }
  }

  @Test("cargo's files give the tokens that cargo sends")
  func cargo() async throws {
    var files = MadeUpFiles(seed: 47)
    for number in 0..<TestExtent.count(4, full: 300) {
      let (settings, credentials) = files.cargo(address)
      let home = try folder.folder("cargo-\(number)")
      _ = try folder.file("cargo-\(number)/config.toml", containing: settings)
      _ = try folder.file("cargo-\(number)/credentials.toml", containing: credentials)
      let found = try? CargoCredentialsFile.logins(in: Secret(credentials), settings: Secret(settings))
      for registry in ["a", "b"] {
        let line = ["owner", "--list", "--registry", registry, "made-up"]
        let variables = ["CARGO_HOME": home, "PATH": "/usr/bin:/bin"]
        let answer = try await run("env", ["cargo"] + line, variables)
        let seen = try await run("curl", ["-s", "\(address)/seen"]).text.split(separator: "\n")
        let sent = seen.last { $0.hasPrefix("/\(registry)/api/") }?.split(separator: " ", maxSplits: 1).last
        let login = found?.logins.first { $0.place == registry }
        #expect(
          sent.map(String.init) == login.map(pair),
          "\(registry) of \(settings)\n\(credentials)\n\(answer.errorText)"
        )
      }
    }
  }
}

private func percentEncoded(_ text: String) -> String {
  text.utf8.map { byte in
    let character = Character(Unicode.Scalar(byte))
    return byte < 0x80 && (character.isLetter || character.isNumber) ? String(character) : "%" + hex(byte)
  }.joined()
}

private func hex(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 16)
  return digits.count == 1 ? "0\(digits)" : digits
}
