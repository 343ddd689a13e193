import AcctProtocol
package import AcctModel
package import Secrets
import StrictJSON
package import Release

/// The temporary keys of a role.
package struct RoleKeys: Equatable, Sendable {
  /// The access key's identifier, which signed requests show.
  package var id: Token
  package var secret: Token
  package var token: Token
  package var expiresAt: Timestamp

  package init(id: Token, secret: Token, token: Token, expiresAt: Timestamp) {
    self.id = id
    self.secret = secret
    self.token = token
    self.expiresAt = expiresAt
  }
}

/// The keys of an account's roles that are kept until they expire: one item of its keyring.
package struct KeptRoleKeys: Sendable {
  /// The keys that were obtained last stand last.
  private var keys: [(purpose: String, keys: RoleKeys)] = []

  /// The greatest number of roles, sessions and regions.
  package static let limit = 16

  package init() {}

  /// An item that acct has not written.
  package struct Damage: Error, Equatable, Sendable {}

  /// The number of them.
  package var count: Int { keys.count }

  /// The keys for a purpose, if they are kept.
  package subscript(_ purpose: String) -> RoleKeys? { keys.first { $0.purpose == purpose }?.keys }

  /// Adds keys in place of those for the same purpose, and drops expired ones, and the oldest beyond ``limit``.
  package mutating func put(_ new: RoleKeys, for purpose: String, at now: Timestamp) {
    keys.removeAll { $0.purpose == purpose || $0.keys.expiresAt <= now }
    keys.append((purpose, new))
    if keys.count > Self.limit { keys.removeFirst() }
  }

  /// Reads an item.
  package init(_ item: Secret) throws(Damage) {
    guard let object = item.withBytes({ bytes in try? JSON(parsing: bytes) })?.objectValue,
      object["version"]?.numberValue?.integer == 1,
      let entries = object["keys"]?.arrayValue, entries.count <= Self.limit
    else { throw Damage() }
    for entry in entries {
      guard let members = entry.objectValue, let purpose = members["for"]?.stringValue,
        let end = members["expiresAt"]?.stringValue, let expiresAt = try? Timestamp(end), self[purpose] == nil
      else { throw Damage() }
      func token(_ name: String) throws(Damage) -> Token {
        guard let text = members[name]?.stringValue, let token = try? Token(text) else { throw Damage() }
        return token
      }
      let known = RoleKeys(
        id: try token("id"),
        secret: try token("secret"),
        token: try token("token"),
        expiresAt: expiresAt
      )
      keys.append((purpose, known))
    }
  }

  /// The item.
  package var item: Secret {
    let entries = keys.map { entry -> JSON in
      [
        "for": .string(entry.purpose),
        "id": .string(entry.keys.id.opened(for: .keyring).shownText),
        "secret": .string(entry.keys.secret.opened(for: .keyring).shownText),
        "token": .string(entry.keys.token.opened(for: .keyring).shownText),
        "expiresAt": .string(entry.keys.expiresAt.description),
      ]
    }
    let json: JSON = ["version": 1, "keys": .array(entries)]
    var bytes = json.serialized()
    return Secret(consuming: &bytes)
  }
}
