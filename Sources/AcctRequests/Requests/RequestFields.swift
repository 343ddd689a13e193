import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import Release
import AcctEngine

/// Header lines that the user gives for a request, checked.
struct RequestFields: Sendable {
  let fields: [HeaderField]

  /// Parses lines such as `Accept: application/json`; a name may occur more than once.
  ///
  /// - Parameters:
  ///   - lines: The lines as the user gave them.
  ///   - account: The account, whose own fields can't be given by hand.
  /// - Throws: ``RequestError/fieldMalformed(_:)``, ``RequestError/ownField(name:account:)``,
  ///   ``RequestError/framingField(name:)``.
  init(_ lines: [String], for account: Account) throws(RequestError) {
    var fields: [HeaderField] = []
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].isHTTPToken,
        !line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
      else { throw .fieldMalformed(String(parts[0])) }
      let name = parts[0].lowercased()
      guard !account.ownFields.contains(name) else { throw .ownField(name: String(parts[0]), account: account.name) }
      guard !["host", "content-length", "transfer-encoding", "connection", "expect"].contains(name)
      else { throw .framingField(name: String(parts[0])) }
      let value = parts[1].drop { $0 == " " || $0 == "\t" }
      fields.append(HeaderField(String(parts[0]), Secret(value.utf8)))
    }
    self.fields = fields
  }

  private init(_ fields: [HeaderField]) { self.fields = fields }

  /// The fields for another origin: a cookie belongs to one origin.
  var elsewhere: RequestFields { RequestFields(fields.filter { !$0.name.isSameField(as: "cookie") }) }

  /// Takes the fields from a client of the proxy, without those that only the account may set.
  init(passing fields: [(name: String, value: String)], for account: Account) {
    self.fields = ProxyFields.upstream(fields, replacing: account.ownFields)
      .map { HeaderField($0.name, Secret(FieldText.bytes($0.value))) }
  }
}

extension Account {
  /// The fields that identify the account in a request, in lower case.
  ///
  /// `Authorization` and `DPoP` are among them for every account: beside a cookie they could only confuse the server
  /// about the user.
  fileprivate var ownFields: [String] {
    let common = ["authorization", "dpop"]
    return switch kind {
    case .oauth: common
    case .session: common + ["cookie"]
    case .guest: common + ["x-device-id"]
    case .static: common + [sentAs?.field.lowercased()].compactMap(\.self)
    }
  }
}
