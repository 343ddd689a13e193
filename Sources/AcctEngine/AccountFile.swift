package import AcctModel
import AcctProtocol
import StrictJSON

/// The form of an account's file: one JSON object, version 1, times in RFC 3339.
package enum AccountFile {
  /// Writes an account.
  package static func encode(_ account: Account) -> [UInt8] {
    let standing =
      switch account.standing {
      case .signedIn: "signedIn"
      case .expired: "expired"
      case .reauthRequired: "reauthRequired"
      case .signedOut: "signedOut"
      }
    let json: JSON = [
      "version": 1,
      "id": .string(account.id.description),
      "name": .string(account.name.description),
      "kind": .string(account.kind.rawValue),
      "tokenType": .string(account.tokenType.rawValue),
      "subject": .init(account.identity.subject),
      "issuer": .init(account.identity.issuer?.description),
      "issuerSource": .init(account.issuerSource?.rawValue),
      "clientId": .init(account.identity.clientID),
      "handle": .init(account.handle?.description),
      "did": .init(account.did?.description),
      "displayName": .init(account.displayName),
      "service": .init(account.service?.description),
      "origins": .array(account.origins.map { .string($0.description) }),
      "scope": .init(account.scope),
      "thumbprint": .init(account.thumbprint),
      "expiresAt": .init(account.lease.expiresAt?.description),
      "lifetime": account.lease.lifetime.map { .number(JSONNumber($0)) } ?? .null,
      "canRenew": .bool(account.lease.canRenew),
      "sessionEndsAt": .init(account.sessionEndsAt?.description),
      "limitations": account.limitations?.json ?? .null,
      "standing": .string(standing),
      "reason": .init(account.standing.reason),
      "renewalStartedAt": .init(account.renewalStartedAt?.description),
      "incoming": account.incoming.map {
        ["place": .string($0.place.description), "isWhole": .bool($0.isWhole)]
      } ?? .null,
      "validatedAt": .init(account.validatedAt?.description),
      "createdAt": .string(account.createdAt.description),
    ]
    return json.serialized()
  }

  /// Reads an account; `nil` for anything that ``encode(_:)`` does not write.
  package static func decode(_ bytes: [UInt8]) -> Account? {
    guard let file = try? JSONMembers(parsing: bytes) else { return nil }
    var fields = Fields(file)
    return try? account(from: &fields)
  }

  private static func account(from file: inout Fields) throws(Damage) -> Account {
    guard try file.string("version", number: true) == "1" else { throw Damage() }
    let service = try file.optional("service", Origin.init)
    return Account(
      id: try file.required("id", AccountID.init),
      name: try file.required("name", AccountName.init),
      kind: try file.choice("kind"),
      tokenType: try file.choice("tokenType"),
      identity: Identity(
        subject: try file.string("subject"),
        issuer: try file.optional("issuer", Issuer.init),
        clientID: try file.string("clientId")
      ),
      handle: try file.optional("handle", Handle.init),
      did: try file.optional("did", DID.init),
      displayName: try file.string("displayName"),
      issuerSource: try file.string("issuerSource").flatMap(IssuerSource.init),
      service: service,
      origins: try file.origins(beside: service),
      scope: try file.string("scope"),
      thumbprint: try file.string("thumbprint"),
      lease: Lease(
        expiresAt: try file.optional("expiresAt", Timestamp.init),
        lifetime: try file.string("lifetime", number: true).flatMap { Int64($0) },
        canRenew: file.isTrue("canRenew")
      ),
      sessionEndsAt: try file.optional("sessionEndsAt", Timestamp.init),
      limitations: try file.limitations(),
      standing: try file.standing(),
      renewalStartedAt: try file.optional("renewalStartedAt", Timestamp.init),
      incoming: try file.incoming(),
      validatedAt: try file.optional("validatedAt", Timestamp.init),
      createdAt: try file.required("createdAt", Timestamp.init)
    )
  }

  /// The file is not one that acct wrote; which member is wrong helps nobody.
  private struct Damage: Error {}

  private struct Fields {
    private let object: JSONMembers
    /// The members are asked for nearly in the order in which they are written.
    private var next = 0

    init(_ object: JSONMembers) { self.object = object }

    private mutating func value(_ name: String) -> JSON? { object.value(of: name, near: &next) }

    mutating func string(_ name: String, number: Bool = false) throws(Damage) -> String? {
      guard let value = value(name), value != .null else { return nil }
      let text = number ? value.numberValue?.integer.map(String.init) : value.stringValue
      guard let text else { throw Damage() }
      return text
    }

    mutating func optional<Value>(
      _ name: String,
      _ parse: (String) throws(Malformed) -> Value
    ) throws(Damage) -> Value? {
      guard let text = try string(name) else { return nil }
      do { return try parse(text) } catch { throw Damage() }
    }

    mutating func required<Value>(
      _ name: String,
      _ parse: (String) throws(Malformed) -> Value
    ) throws(Damage) -> Value {
      guard let value = try optional(name, parse) else { throw Damage() }
      return value
    }

    mutating func choice<Value: RawRepresentable<String>>(_ name: String) throws(Damage) -> Value {
      guard let value = try string(name).flatMap(Value.init) else { throw Damage() }
      return value
    }

    mutating func isTrue(_ name: String) -> Bool { value(name) == .bool(true) }

    mutating func origins(beside service: Origin?) throws(Damage) -> [Origin] {
      guard let list = value("origins")?.arrayValue else { throw Damage() }
      // Most often the service is the only one, and has been parsed already.
      if let service, list == [.string(service.description)] { return [service] }
      var origins: [Origin] = []
      for element in list {
        guard let origin = try? element.stringValue.map(Origin.init) else { throw Damage() }
        origins.append(origin)
      }
      return origins
    }

    mutating func limitations() throws(Damage) -> GuestLimitations? {
      guard let value = value("limitations"), value != .null else { return nil }
      guard let members = value.objectValue else { throw Damage() }
      return GuestLimitations(members)
    }

    mutating func incoming() throws(Damage) -> Account.Incoming? {
      guard let value = value("incoming"), value != .null else { return nil }
      guard let members = value.objectValue,
        let place = members["place"]?.stringValue.flatMap({ try? AccountID($0) }),
        let isWhole = members["isWhole"]?.boolValue
      else { throw Damage() }
      return Account.Incoming(place: place, isWhole: isWhole)
    }

    mutating func standing() throws(Damage) -> Standing {
      let reason = try string("reason") ?? ""
      return switch try string("standing") {
      case "signedIn": .signedIn
      case "expired": .expired(reason: reason)
      case "reauthRequired": .reauthRequired(reason: reason)
      case "signedOut": .signedOut(reason: reason)
      default: throw Damage()
      }
    }
  }
}
