import AcctEngine
import AcctModel
import AcctPrograms
import AcctProtocol
import Secrets

/// Files of other programs: a login goes to hosts that the file names, with a secret that is not empty.
func foreignFileViolation(_ bytes: [UInt8]) -> String? {
  let contents = Secret(bytes)
  let all: [FoundLogins?] = [
    GitCredentialFile.logins(in: contents), try? NetrcFile.logins(in: contents),
    try? DockerConfigFile.logins(in: contents),
    try? CargoCredentialsFile.logins(in: contents, settings: contents), try? HostsFile.gh(contents),
    try? HostsFile.glab(contents),
  ]
  for login in all.compactMap(\.self).flatMap(\.logins) {
    guard !login.origins.isEmpty else { return "a login without an origin" }
    guard login.origins.allSatisfy({ $0.scheme == .https || $0.isLoopback }) else { return "a login without TLS" }
    if case .value(let secret) = login.secret, secret.count == 0 { return "an empty secret" }
    guard let user = login.user else { continue }
    if user.utf8.contains(where: { $0 < 0x20 }) { return "a user with a control character" }
    if login.form == .password, Secret(user).hasTokenPrefix { return "a token in a name" }
  }
  if let session = try? OIDCAgentSession.parse(contents), session.refreshToken.secret.count == 0 {
    return "no refresh token"
  }
  _ = try? DockerHelperAnswer(contents)
  return nil
}
