import AcctModel
package import Secrets

/// The lists of hosts and users that gh and glab keep in YAML.
///
/// A token that is not in the file is in the program's keyring.
package enum HostsFile {
  /// gh's `hosts.yml`: a host, and in it `user` and its token, or since 2.40 several `users`, each with its own.
  ///
  /// - Throws: ``MigrationFlaw/line(_:_:)``.
  package static func gh(_ contents: Secret) throws(MigrationFlaw) -> FoundLogins {
    let file = try contents.withBytes { bytes throws(MigrationFlaw) in try YAMLKeys(bytes) }
    var found = FoundLogins()
    for host in file.keys(below: []) {
      let active = file.text(host, "user")
      let token = file.secret(host, "oauth_token")
      var users = file.keys(below: [host, "users"])
      let namesUsers = !users.isEmpty
      if let active, !users.contains(active) { users.append(active) }
      var logins: [(user: String?, secret: Secret?)] = users.map { user in
        (user, file.secret(host, "users", user, "oauth_token") ?? (user == active ? token : nil))
      }
      if active == nil, let token, !logins.contains(where: { $0.secret == token }) { logins.append((nil, token)) }
      for (user, secret) in logins {
        do throws(ParseError) {
          var login = FoundLogin(
            place: host,
            user: user,
            origins: [try Origin(.https, authority: host), try Origin(.https, authority: "api.\(host)")],
            form: .bearer,
            secret: secret.map { .value($0) } ?? .gh(isActive: user == active)
          )
          login.isOneOfSeveral = namesUsers
          found.add(login)
        } catch {
          found.skip(host, SkippedLogin.Reason(error))
        }
      }
    }
    return found
  }

  /// glab's `config.yml`: below `hosts` a host, and in it `user`, `token`, `api_host`, `api_protocol`.
  ///
  /// - Throws: ``MigrationFlaw/line(_:_:)``.
  package static func glab(_ contents: Secret) throws(MigrationFlaw) -> FoundLogins {
    let file = try contents.withBytes { bytes throws(MigrationFlaw) in try YAMLKeys(bytes) }
    var found = FoundLogins()
    for host in file.keys(below: ["hosts"]) {
      func text(_ key: String) -> String? { file.text("hosts", host, key) }
      let token = file.secret("hosts", host, "token")
      guard token != nil || text("use_keyring") == "true" else { continue }
      guard text("is_oauth2") != "true", file.secret("hosts", host, "oauth2_refresh_token") == nil else {
        found.skip(host, .oauth(provider: host == "gitlab.com" ? "gitlab" : "gitlab:\(host)"))
        continue
      }
      let scheme = text("api_protocol").flatMap(Origin.Scheme.init) ?? .https
      do throws(ParseError) {
        var origins = [try Origin(scheme, authority: text("api_host") ?? host)]
        if let own = try? Origin(scheme, authority: host), own != origins[0] { origins.insert(own, at: 0) }
        let secret = token.map { FoundLogin.SecretPlace.value($0) } ?? .glab
        found.add(FoundLogin(place: host, user: text("user"), origins: origins, form: .bearer, secret: secret))
      } catch {
        found.skip(host, SkippedLogin.Reason(error))
      }
    }
    return found
  }
}

extension FoundLogins {
  /// Leaves out the logins whose secret the program would have to give: it has its own file, which need not be this one.
  package mutating func keepWritten(of program: OtherProgram) {
    for login in logins where login.secret.isInKeyring {
      skip(login.user.map { "\($0)@\(login.place)" } ?? login.place, .inKeyring(program))
    }
    logins.removeAll(where: \.secret.isInKeyring)
  }
}

extension FoundLogin.SecretPlace {
  fileprivate var isInKeyring: Bool {
    switch self {
    case .gh, .glab: true
    case .value, .dockerHelper, .oidcAgent: false
    }
  }
}
