package import AcctModel
package import Secrets
import StrictJSON
package import Release

/// A token that an account's refresh token has brought beside the account's own.
package struct SecondToken: Sendable {
  package var purpose: TokenPurpose
  package var token: Token
  package var lifetime: TokenLifetime
  /// The scope that was granted for it; `nil` where the server did not say.
  package var granted: String?

  package init(purpose: TokenPurpose, token: Token, lifetime: TokenLifetime, granted: String? = nil) {
    self.purpose = purpose
    self.token = token
    self.lifetime = lifetime
    self.granted = granted
  }
}

/// The second tokens of an account: one item of its keyring, so that they are written and removed as one.
package struct SecondTokens: Sendable {
  /// The one that was granted last stands last.
  package private(set) var tokens: [SecondToken] = []

  /// The greatest number of second tokens of an account.
  package static let limit = 16

  package init() {}

  /// An item that acct has not written.
  package struct Damage: Error, Equatable, Sendable {}

  /// The token for a purpose, if there is one.
  package subscript(_ purpose: TokenPurpose) -> SecondToken? { tokens.first { $0.purpose == purpose } }

  /// Adds a token, in place of the one for the same purpose.
  ///
  /// Beyond ``limit``, one that has expired goes, else the one that was granted first: each can be requested again.
  package mutating func put(_ token: SecondToken, at now: Timestamp) {
    tokens.removeAll { $0.purpose == token.purpose }
    tokens.append(token)
    while tokens.count > Self.limit {
      let past = tokens.firstIndex { ($0.lifetime.secondsLeft(at: now) ?? 1) <= 0 }
      tokens.remove(at: past ?? tokens.startIndex)
    }
  }

  /// Reads an item.
  package init(_ item: Secret) throws(Damage) {
    guard
      let object = item.withBytes({ bytes in try? JSON(parsing: bytes) })?.objectValue,
      object["version"]?.numberValue?.integer == 1,
      let entries = object["tokens"]?.arrayValue, entries.count <= Self.limit
    else { throw Damage() }
    for entry in entries {
      let token = try Self.token(entry)
      guard self[token.purpose] == nil else { throw Damage() }
      tokens.append(token)
    }
  }

  private static func token(_ entry: JSON) throws(Damage) -> SecondToken {
    guard let members = entry.objectValue,
      let purpose = try? TokenPurpose(audience: try text("audience", members), scope: try text("scope", members)),
      let token = (try text("token", members)).flatMap({ try? Token($0) })
    else { throw Damage() }
    var expiresAt: Timestamp?
    if let text = try text("expiresAt", members) {
      guard let time = try? Timestamp(text) else { throw Damage() }
      expiresAt = time
    }
    var lifetime: Int64?
    if let value = members["lifetime"], value != .null {
      guard let number = value.numberValue?.integer else { throw Damage() }
      lifetime = Int64(number)
    }
    return SecondToken(
      purpose: purpose,
      token: token,
      lifetime: TokenLifetime(expiresAt: expiresAt, lifetime: lifetime, canRenew: true),
      granted: try text("granted", members)
    )
  }

  private static func text(_ name: String, _ members: JSONObject) throws(Damage) -> String? {
    guard let value = members[name], value != .null else { return nil }
    guard let text = value.stringValue else { throw Damage() }
    return text
  }

  /// The item.
  package var item: Secret {
    let entries = tokens.map { entry -> JSON in
      [
        "audience": .init(entry.purpose.audience),
        "scope": .init(entry.purpose.scopeText),
        "token": .string(
          entry.token.opened(for: .keyring).withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
          }
        ),
        "expiresAt": .init(entry.lifetime.expiresAt?.description),
        "granted": .init(entry.granted),
        "lifetime": entry.lifetime.lifetime.map { .number(JSONNumber($0)) } ?? .null,
      ]
    }
    let json: JSON = ["version": 1, "tokens": .array(entries)]
    var bytes = json.serialized()
    return Secret(consuming: &bytes)
  }
}
