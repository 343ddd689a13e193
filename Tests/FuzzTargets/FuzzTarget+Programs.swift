import Release
import AcctModel
import AcctPrograms
import Secrets
import AcctProtocol
import StrictJSON

private let forms: [CredentialForm] = [.scheme("Bearer"), .basic(user: "alice")]

/// What a program would get for a target.
private func answers(of program: some HelperProtocol, _ target: HelperTarget) -> [[UInt8]] {
  let token = Secret("made-up")
  return target.urls.flatMap { url in
    forms.filter(program.accepts).compactMap { form in
      let credential = HelperCredential(url, fields: [], token: token, form: form, expiresAt: .epoch, now: .epoch)
      let answer = try? program.answer(credential)
      return answer?.output.withBytes { span in span.indices.map { span[$0] } }
    }
  }
}

/// Whether a credential may go to a target, whose host the program has written.
private func isUsable(_ target: HelperTarget, _ bytes: [UInt8]) -> Bool {
  let written = text(bytes).lowercased()
  return target.urls.allSatisfy { url in
    // Docker Hub has several names, and one host.
    let isHub = url.origin.host.hasSuffix("docker.io") || url.origin.host.hasSuffix("docker.com")
    let isNamed = written.contains(url.origin.host) || isHub && written.contains("docker.")
    return (url.origin.scheme == .https || url.origin.isLoopback) && isNamed
  }
}

/// Git's attributes: an answer has git's keys alone, each on one line.
func gitCredentialViolation(_ bytes: [UInt8]) -> String? {
  for operation in ["get", "erase", "store"] {
    guard let program = try? GitCredentials(HelperQuestion([operation], Secret(bytes))) else { continue }
    switch program.task {
    case .get(let target):
      guard isUsable(target, bytes) else { return "a target that git did not name" }
      for answer in answers(of: program, target) {
        // Bytes, as git reads them: a mark that joins the "=" before it makes another character of both.
        let lines = answer.split(separator: 0x0A, omittingEmptySubsequences: false)
        let keys = [
          "capability[]=", "authtype=", "credential=", "ephemeral=", "username=", "password=", "password_expiry_utc=",
        ]
        guard lines.last?.isEmpty == true, lines.count <= 6,
          lines.dropLast().allSatisfy({ line in keys.contains { line.starts(with: $0.utf8) } })
        else { return "a line that git's question wrote" }
      }
    case .reject(let target, let given), .confirm(let target, let given):
      guard isUsable(target, bytes), given.count > 0 else { return "nothing to reject" }
    case .answered(let answer): guard answer.output.count == 0 else { return "an answer to nothing" }
    case .unusable: break
    case .store, .forget, .list, .unverified, .identity, .assume: return "a task that git does not have"
    }
  }
  return nil
}

/// Docker's server names and logins: an answer is one object that names the server as docker did.
func dockerCredentialViolation(_ bytes: [UInt8]) -> String? {
  for operation in ["get", "erase", "store"] {
    guard let program = try? DockerCredentials(HelperQuestion([operation], Secret(bytes))) else { continue }
    switch program.task {
    case .get(let target):
      guard isUsable(target, bytes) else { return "a registry that docker did not name" }
      for answer in answers(of: program, target) {
        guard let members = (try? JSON(parsing: answer))?.objectValue,
          let server = members["ServerURL"]?.stringValue, text(bytes).contains(server)
        else { return "an answer that is not docker's" }
      }
    case .forget(let target): guard isUsable(target, bytes) else { return "a registry that docker did not name" }
    case .store(let target, let user, let secret):
      guard !target.urls.isEmpty, user?.isEmpty == false, secret.count > 0 else { return "half a login" }
    case .unusable: break
    case .answered(let answer):
      // A place beside a registry.
      guard answer.isSuccess == (operation != "get") else { return "a wrong answer to no registry" }
    case .reject, .confirm, .list, .unverified, .identity, .assume: return "a task that docker did not ask for"
    }
  }
  return nil
}

/// Terraform's hosts and logins: an answer is one object with the token.
func terraformCredentialViolation(_ bytes: [UInt8]) -> String? {
  let hosts = ["get", "forget"].map { HelperQuestion([$0, text(bytes)]) }
  for question in hosts + [HelperQuestion(["store", "tf.example"], Secret(bytes))] {
    guard let program = try? TerraformCredentials(question) else { continue }
    switch program.task {
    case .get(let target):
      guard target.urls.map(\.origin.scheme) == [.https] else { return "an address that is no host's" }
      for answer in answers(of: program, target) {
        guard (try? JSON(parsing: answer))?.objectValue?.names == ["token"] else { return "an answer without a token" }
      }
    case .forget(let target): guard target.urls.count == 1 else { return "a host that terraform did not name" }
    case .store(_, let user, let secret): guard user == nil, secret.count > 0 else { return "a login without a token" }
    case .unusable: break
    case .reject, .confirm, .list, .answered, .unverified, .identity, .assume:
      return "a task that terraform did not ask for"
    }
  }
  return nil
}
