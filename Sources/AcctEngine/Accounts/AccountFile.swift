package import AcctModel
import AcctProtocol
import StrictJSON

/// The form of an account's file: one JSON object, version 1, times in RFC 3339.
package enum AccountFile {
  /// Writes an account.
  package static func encode(_ account: Account) -> [UInt8] {
    let recordedState =
      switch account.recordedState {
      // Earlier versions read the second of each pair as the first: without its reason, and as a session's end.
      case .signedIn, .renewalRefused: "signedIn"
      case .expired: "expired"
      case .reauthRequired, .rejected: "reauthRequired"
      case .signedOut: "signedOut"
      }
    var json: JSONObject = [
      "version": 1,
      "id": .string(account.id.description),
      "name": .string(account.name.description),
      "kind": .string(account.kind.rawValue),
      "tokenType": .string(account.tokenType.rawValue),
      "subject": .init(account.identity.subject),
      "issuer": .init(account.identity.issuer?.description),
      "issuerSource": .init(account.issuerSource?.rawValue),
      "clientId": .init(account.identity.clientID),
      "source": .init(account.source?.word),
      "backend": .init(account.source?.backend?.description),
      "handle": .init(account.handle?.description),
      "did": .init(account.did?.description),
      "displayName": .init(account.displayName),
      "service": .init(account.service?.description),
      "origins": .array(account.origins.map { .string($0.description) }),
      "originReasons": account.origins.reasonsJSON,
      "scope": .init(account.scope),
      "resources": account.resources.isEmpty
        ? .null : .array(account.resources.map { .string($0.description) }),
      "thumbprint": .init(account.thumbprint),
      "expiresAt": .init(account.tokenLifetime.expiresAt?.description),
      "lifetime": account.tokenLifetime.lifetime.map { .number(JSONNumber($0)) } ?? .null,
      "canRenew": .bool(account.tokenLifetime.canRenew),
      "sessionEndsAt": .init(account.sessionEndsAt?.description),
      "limitations": account.limitations?.json ?? .null,
      "standing": .string(recordedState),
      "reason": .init(account.recordedState.reason),
      "renewalStartedAt": .init(account.renewalStartedAt?.description),
      "incoming": account.incoming.map {
        ["place": .string($0.place.description), "isWhole": .bool($0.isWhole)]
      } ?? .null,
      "validatedAt": .init(account.validatedAt?.description),
      "createdAt": .string(account.createdAt.description),
    ]
    json["subjectStatements"] = account.subjectStatements.json
    if account.recordedState.tokenStands { json["tokenStands"] = true }
    if let doubt = account.recordedState.doubt {
      json["refused"] = [
        "status": JSON(Int64(doubt.status)), "code": .init(doubt.code), "at": .string(doubt.time.description),
      ]
    }
    if let rejection = account.recordedState.rejection {
      json["rejected"] = ["by": .string(rejection.origin.description), "at": .string(rejection.time.description)]
    }
    if account.keyStorage != .software { json["keyStorage"] = .string(account.keyStorage.rawValue) }
    json["sentAs"] = account.sentAs?.json
    if let program = account.keptFor { json["keptFor"] = .string(program.rawValue) }
    json["client"] = account.client.json
    json["signIn"] = account.signIn?.json
    json["ownGrant"] = account.ownGrant?.json
    if account.origins.hasPaths { json["places"] = account.origins.placesJSON }
    if let keptIn = account.keptIn { json["keptIn"] = .string(keptIn) }
    if !account.marks.isEmpty { json["marks"] = .number(JSONNumber(account.marks.rawValue)) }
    if account.history != AccountHistory() { json["history"] = .string(account.history.text) }
    return JSON.object(json).serialized()
  }

  /// Parses an account; `nil` for anything that ``encode(_:)`` does not write.
  package static func decode(_ bytes: [UInt8]) -> Account? {
    guard let file = try? JSONMembers(parsing: bytes) else { return nil }
    var fields = Fields(file)
    return try? account(from: &fields)
  }

  private static func account(from file: inout Fields) throws(Damage) -> Account {
    guard try file.string("version", number: true) == "1" else { throw Damage() }
    let service = try file.optional("service", Origin.init)
    let kind: Account.Kind = try file.choice("kind")
    var account = Account(
      id: try file.required("id", AccountID.init),
      name: try file.required("name", AccountName.init),
      kind: kind,
      tokenType: try file.choice("tokenType"),
      identity: Identity(
        subject: try file.string("subject"),
        issuer: try file.optional("issuer", Issuer.init),
        clientID: try file.string("clientId")
      ),
      source: try file.source(of: kind, at: service),
      handle: try file.optional("handle", Handle.init),
      did: try file.optional("did", DID.init),
      displayName: try file.string("displayName"),
      issuerSource: try file.string("issuerSource").flatMap(IssuerSource.init),
      service: service,
      origins: try file.origins(beside: service),
      scope: try file.string("scope"),
      resources: try file.resources(),
      client: try file.client(),
      signIn: try file.signIn(),
      ownGrant: try file.ownGrant(),
      thumbprint: try file.string("thumbprint"),
      keyStorage: try file.keyStorage(),
      tokenLifetime: TokenLifetime(
        expiresAt: try file.optional("expiresAt", Timestamp.init),
        lifetime: try file.string("lifetime", number: true).flatMap { Int64($0) },
        canRenew: file.isTrue("canRenew")
      ),
      sessionEndsAt: try file.optional("sessionEndsAt", Timestamp.init),
      limitations: try file.limitations(),
      sentAs: try file.sentAs(of: kind),
      keptFor: try file.keptFor(),
      recordedState: try file.recordedState(),
      keptIn: try file.string("keptIn"),
      renewalStartedAt: try file.optional("renewalStartedAt", Timestamp.init),
      incoming: try file.incoming(),
      validatedAt: try file.optional("validatedAt", Timestamp.init),
      createdAt: try file.required("createdAt", Timestamp.init),
      marks: Account.Marks(rawValue: file.number("marks") ?? 0),
      history: AccountHistory(file.incidental("history") ?? "")
    )
    if let origins = try file.places(of: account.origins) { account.origins = origins }
    if account.source == .issuer { account.subjectStatements = try file.subjectStatements() }
    return account
  }
}
