package import Secrets

extension StaticHeader.Form {
  /// A user and a password of the scheme `Basic` (RFC 7617), where the user is a token: its form, and the secret.
  ///
  /// Servers of git, package registries and payment take a token in the user's place, beside a password that says
  /// nothing. It is known by that password, or by the prefix that its server gives to tokens.
  ///
  /// - Parameters:
  ///   - user: The user, as it is sent.
  ///   - password: The password; empty without one.
  /// - Returns: `nil` for a user that is a name.
  package static func tokenAsUser(_ user: Secret, _ password: Secret) -> (form: Self, secret: Secret)? {
    guard user.count > 0, password == Secret(silent) || password.count == 0 || user.hasTokenPrefix else { return nil }
    // The scheme has no way to send a user with a colon.
    guard user.withBytes({ bytes in bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: ":") } }) else { return nil }
    // Another password may be a secret, too.
    guard let word = ["", silent, "x"].first(where: { Secret($0) == password }) else {
      return (.userIsToken(password: nil), Secret(joining: [user, Secret(":"), password]))
    }
    return (.userIsToken(password: word), user)
  }

  /// The password that GitHub prescribes beside a token, and other servers copied.
  private static let silent = "x-oauth-basic"
}

extension Secret {
  /// `true` if it begins as the tokens of a known server do, and is as long as they are: a user can be called `npm_bot`.
  package var hasTokenPrefix: Bool {
    withBytes { bytes in
      tokenPrefixes.utf8.split(separator: UInt8(ascii: " ")).contains { prefix in
        bytes.count >= prefix.count + 16 && zip(bytes.indices, prefix).allSatisfy { bytes[$0] == $1 }
      }
    }
  }
}

/// How tokens begin, as their servers document it.
private let tokenPrefixes = """
  ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ \
  glpat- gloas- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- \
  npm_ pypi- rubygems_ hf_ dckr_pat_ dckr_oat_ dop_v1_ doo_v1_ dor_v1_ \
  sk_live_ sk_test_ rk_live_ rk_test_ sk-ant- sk-proj- xoxb- xoxp- xapp- shpat_ shpss_ \
  glsa_ glc_ lin_api_ figd_ sbp_ ntn_ hvs. hvb. tskey- ATATT3 ATCTT3 AKCp eyJhbGci
  """
