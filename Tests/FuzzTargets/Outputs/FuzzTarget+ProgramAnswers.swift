import Release
import AcctEngine
import AcctModel
import AcctPrograms
import AcctProtocol
import Secrets
import StrictJSON

/// A user and a password as the credential of a program; `nil` where they are none.
private func credential(_ user: [UInt8], _ password: [UInt8]) -> HelperCredential? {
  guard let user = String(validating: user, as: UTF8.self), anyToken(Secret(password)) != nil else { return nil }
  return HelperCredential(
    place,
    fields: [HeaderField("Authorization", Secret(password)), HeaderField("X-Second", Secret(user))],
    token: Secret(password),
    form: .basic(user: user),
    expiresAt: .epoch,
    now: .epoch
  )
}

private let place = try? HTTPURL("https://a.example/")

/// The programs that ask for it, each with one question.
private struct Programs {
  let git = try? GitCredentials(HelperQuestion(["get"], Secret("protocol=https\nhost=a.example\n")))
  let keyring = try? KeyringRequest(HelperQuestion(["get", "https://a.example", "--mode", "creds"]))
  let jsonKeyring = try? KeyringRequest(
    HelperQuestion(["get", "https://a.example", "--mode", "creds", "--output", "json"])
  )
  let go = try? GoAuth(HelperQuestion(["https://a.example/"]))
  let docker = try? DockerCredentials(HelperQuestion(["get"], Secret("a.example")))
  let terraform = try? TerraformCredentials(HelperQuestion(["get", "a.example"]))
  let kubectl = try? ExecCredential(HelperQuestion([]))
  let google = try? GoogleExternalAccount(HelperQuestion([]))
  let bazel = try? BazelCredential(HelperQuestion(["get"], Secret(#"{"uri":"https://a.example"}"#)))
  let cargo = try? CargoCredential(
    HelperQuestion(
      ["--cargo-plugin"],
      Secret(#"{"v":1,"kind":"get","operation":"read","registry":{"index-url":"sparse+https://a.example/"}}"#)
    )
  )

  /// `true` if each question is one.
  var areWhole: Bool {
    let all: [(any HelperProtocol)?] = [
      git, keyring, jsonKeyring, go, docker, terraform, kubectl, google, bazel, cargo,
    ]
    return all.allSatisfy { $0 != nil }
  }
}

private let programs = Programs()
private let areProgramsWhole = programs.areWhole

/// Any text that can be a credential.
private func anyToken(_ secret: Secret) -> Token? { (try? Token(secret)) ?? (try? Token(password: secret)) }

/// The answers of lines: git's attributes, `keyring`, and the go command's.
@Sendable func lineAnswerViolation(_ user: [UInt8], _ password: [UInt8]) -> String? {
  guard areProgramsWhole else { return "a question that is none" }
  guard let credential = credential(user, password) else { return nil }
  let (user, password) = (text(user), text(password))
  if let lines = lines(of: programs.git, credential) {
    guard lines == ["username=\(user)", "password=\(password)", "password_expiry_utc=0", ""].map({ Array($0.utf8) })
    else { return "git: other attributes" }
  }
  if let lines = lines(of: programs.keyring, credential) {
    guard lines == [user, password, ""].map({ Array($0.utf8) }) else { return "keyring: other lines" }
  }
  if let lines = lines(of: programs.go, credential) {
    let expected = ["https://a.example", "", "Authorization: \(password)", "X-Second: \(user)", "", ""]
    guard lines == expected.map({ Array($0.utf8) }) else { return "go: other lines" }
  }
  return nil
}

/// The answers in JSON.
@Sendable func jsonAnswerViolation(_ user: [UInt8], _ password: [UInt8]) -> String? {
  guard let credential = credential(user, password) else { return nil }
  let (user, password) = (text(user), text(password))
  if let answer = object(of: programs.docker, credential) {
    guard answer == ["ServerURL": "a.example", "Username": .string(user), "Secret": .string(password)] else {
      return "docker: another answer"
    }
  }
  if let answer = object(of: programs.jsonKeyring, credential) {
    guard answer == ["username": .string(user), "password": .string(password)] else { return "keyring: another answer" }
  }
  if let answer = object(of: programs.terraform, credential) {
    guard answer == ["token": .string(password)] else { return "terraform: another answer" }
  }
  if let answer = object(of: programs.kubectl, credential) {
    guard answer["status"]?.objectValue?["token"] == .string(password), answer.names.count == 3 else {
      return "kubectl: another answer"
    }
  }
  if let answer = object(of: programs.google, credential) {
    guard answer["id_token"] == .string(password), answer.names.count == 5 else { return "google: another answer" }
  }
  if let answer = object(of: programs.bazel, credential) {
    guard answer["headers"] == ["Authorization": [.string(password)], "X-Second": [.string(user)]],
      answer.names.count == 2
    else { return "bazel: another answer" }
  }
  if let answer = object(of: programs.cargo, credential) {
    guard answer["Ok"]?.objectValue?["token"] == .string(password), answer.names.count == 1 else {
      return "cargo: another answer"
    }
  }
  guard let token = try? Token(credential.token) else { return nil }
  return roleViolation(token, password)
}

/// AWS's `credential_process`.
private func roleViolation(_ token: Token, _ password: String) -> String? {
  guard let answer = try? RoleKeys(id: token, secret: token, token: token, expiresAt: .epoch).answer() else {
    return nil
  }
  let members = (try? JSON(parsing: bytes(answer)))?.objectValue
  let hasAll = ["AccessKeyId", "SecretAccessKey", "SessionToken"].allSatisfy { members?[$0] == .string(password) }
  return hasAll && members?.names.count == 5 ? nil : "aws: another answer"
}

/// The lines of an answer; `nil` where the credential is refused.
private func lines(of program: (some HelperProtocol)?, _ credential: HelperCredential) -> [[UInt8]]? {
  (try? program?.answer(credential)).map { answer in
    bytes(answer.output).split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
  }
}

/// The members of an answer; `nil` where the credential is refused, and none where it is not JSON on a line.
private func object(of program: (some HelperProtocol)?, _ credential: HelperCredential) -> JSONObject? {
  (try? program?.answer(credential)).map { answer in
    let text = bytes(answer.output)
    guard text.last == 0x0A, !text.dropLast().contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return [:] }
    return (try? JSON(parsing: text))?.objectValue ?? [:]
  }
}
