package import AcctModel
package import Secrets
import StrictJSON
package import Release

/// The access to a client's own registration, which its server gave with it (RFC 7592, section 3).
package struct RegistrationAccess: Sendable {
  /// The address of the registration.
  package let url: HTTPURL
  package let token: Token

  /// Reads the members of a registration's answer; `nil` if the server gave no access that can be used.
  init?(_ answer: inout GrantMembers) {
    guard let url = answer.parsed("registration_client_uri", HTTPURL.init),
      let token = answer.token("registration_access_token")
    else { return nil }
    self.url = url
    self.token = token
  }

  /// Reads an item; `nil` for one that acct has not written.
  package init?(_ item: Secret) {
    let members = item.withBytes { bytes in try? JSON(parsing: bytes) }?.objectValue
    guard members?["version"]?.numberValue?.integer == 1,
      let url = members?["url"]?.stringValue.flatMap({ try? HTTPURL($0) }),
      let token = members?["token"]?.stringValue.flatMap({ try? Token($0) })
    else { return nil }
    self.url = url
    self.token = token
  }

  /// The item.
  package var item: Secret {
    let token = token.opened(for: .keyring).withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    var bytes = (["version": 1, "url": .string(url.description), "token": .string(token)] as JSON).serialized()
    return Secret(consuming: &bytes)
  }
}
