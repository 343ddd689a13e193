import Release
import AcctModel
import AcctPrograms
import Secrets
import AcctProtocol
import StrictJSON

/// The variable that a client of Kubernetes sets.
func kubectlCredentialViolation(_ bytes: [UInt8]) -> String? {
  let info = text(bytes)
  guard
    let plugin = try? ExecCredential(HelperQuestion([]) { $0 == "KUBERNETES_EXEC_INFO" && !info.isEmpty ? info : nil })
  else { return nil }
  guard let answer = json(answer(of: plugin)) else { return "an answer that is not JSON" }
  guard info.isEmpty || answer["apiVersion"] == json(info)?["apiVersion"] else { return "an answer of another version" }
  return answer["status"]?.objectValue?["token"]?.stringValue == token
    ? nil : "an answer with another token"
}

/// The input of Bazel's `get`.
func bazelCredentialViolation(_ bytes: [UInt8]) -> String? {
  guard let helper = try? BazelCredential(HelperQuestion(["get"], Secret(bytes))) else { return nil }
  guard let answer = json(answer(of: helper)) else { return "an answer that is not JSON" }
  guard case .get(let target) = helper.task, let uri = (try? JSON(parsing: bytes))?.objectValue?["uri"]?.stringValue
  else { return nil }
  guard target.urls.count == 1, uri.lowercased().hasPrefix("http") || uri.contains("://") else {
    return "a URL of something else"
  }
  return answer["headers"]?.objectValue?["Authorization"] == [.string("Bearer \(token)")]
    ? nil : "an answer with other lines"
}

/// The word that the go command gives.
func goAuthViolation(_ bytes: [UInt8]) -> String? {
  guard let command = try? GoAuth(HelperQuestion([text(bytes)])),
    case .get(let target) = command.task, let url = target.urls.first
  else { return nil }
  for form in [CredentialForm.scheme("Bearer"), .bound] {
    guard let answer = answer(of: command, form) else { return "no answer" }
    let lines = answer.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 5, lines[1].isEmpty, lines[3].isEmpty, lines[4].isEmpty,
      lines[2] == "Authorization: Bearer \(token)"
    else { return "an answer of other lines" }
    guard let place = try? HTTPURL(String(lines[0])), place.origin == url.origin else {
      return "lines for another server"
    }
    guard form != .bound || place == url else { return "a proof for another URL" }
  }
  return nil
}

/// A line of cargo.
func cargoCredentialViolation(_ bytes: [UInt8]) -> String? {
  let provider: CargoCredential
  do { provider = try CargoCredential(HelperQuestion(["--cargo-plugin"], Secret(bytes))) } catch {
    guard let answer = CargoCredential.answer(to: error), !answer.isSuccess else { return "an error without words" }
    return json(shown(answer.output))?["Err"] == nil ? "an error that is not cargo's" : nil
  }
  guard let text = answer(of: provider), text.utf8.count(where: { $0 == 0x0A }) == 1, let answer = json(text)
  else { return "an answer that is not a line of JSON" }
  return answer["Ok"]?.objectValue?["token"]?.stringValue == "Bearer \(token)"
    ? nil : "an answer with another token"
}

/// The words behind `keyring`, one a line.
func keyringRequestViolation(_ bytes: [UInt8]) -> String? {
  let words = text(bytes).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  guard let request = try? KeyringRequest(HelperQuestion(words)), case .get = request.task else { return nil }
  guard let text = answer(of: request) else { return "no answer" }
  if let object = json(text) {
    return object["password"]?.stringValue == token ? nil : "an answer with another password"
  }
  // A user name could add a line.
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  return (2...3).contains(lines.count) && lines.suffix(2) == [token[...], ""]
    ? nil : "an answer of other lines"
}

private let token = "t0k\"\\"

/// What a program reads for a made-up credential.
private func answer(of program: some HelperProtocol, _ form: CredentialForm = .scheme("Bearer")) -> String? {
  let credential = HelperCredential(
    nil,
    fields: [HeaderField("Authorization", Secret("Bearer \(token)"))],
    token: Secret(token),
    form: form,
    expiresAt: .epoch,
    now: .epoch
  )
  return (try? program.answer(credential)).map { shown($0.output) }
}

private func shown(_ secret: Secret) -> String { secret.withBytes { bytes in text(bytes.indices.map { bytes[$0] }) } }

private func json(_ text: String?) -> JSONObject? { text.flatMap { try? JSON(parsing: Array($0.utf8)) }?.objectValue }
