import AcctPorts
package import FleetPorts
import StrictJSON

/// The file with the settings of the keyring that this machine has made or joined.
package enum SettingsFile {
  static let fileName = "settings.json"
  private static let version: Int64 = 1
  /// In bytes; far more than settings have.
  private static let sizeLimit = 65_536

  /// Writes settings.
  package static func serialized(_ settings: SharedKeyringSettings) -> [UInt8] {
    var members: JSONObject = [
      "format": "acct-shared-keyring",
      "version": JSON(version),
      "engine": .string(settings.kind.rawValue),
      "name": .string(settings.name),
    ]
    switch settings.engine {
    case .etcd(let etcd):
      members["endpoints"] = .array(etcd.endpoints.map(JSON.string))
      members["certificate"] = etcd.certificate.map(JSON.string)
      members["key"] = etcd.key.map(JSON.string)
      members["authority"] = etcd.authority.map(JSON.string)
      members["user"] = etcd.user.map(JSON.string)
      members["passwordFile"] = etcd.passwordFile.map(JSON.string)
    case .postgres(let postgres):
      members["connection"] = .string(postgres.connection)
      members["passwordFile"] = postgres.passwordFile.map(JSON.string)
    }
    return JSON.object(members).serialized() + [UInt8(ascii: "\n")]
  }

  /// Reads settings; `nil` for anything that ``serialized(_:)`` does not write.
  package static func parse(_ contents: [UInt8]) -> SharedKeyringSettings? {
    guard let json = try? JSON(parsing: contents, maximumBytes: sizeLimit), let members = json.objectValue,
      members["format"]?.stringValue == "acct-shared-keyring", members["version"]?.numberValue?.integer == version,
      let kind = members["engine"]?.stringValue.flatMap(Keyring.Kind.init(rawValue:)),
      let name = members["name"]?.stringValue, let engine = engine(kind, members)
    else { return nil }
    return SharedKeyringSettings(engine: engine, name: name)
  }

  /// `true` for settings of a later version of acct, or of an engine that only such a version has.
  static func isNewer(_ contents: [UInt8]) -> Bool {
    guard let members = (try? JSON(parsing: contents, maximumBytes: sizeLimit))?.objectValue,
      members["format"]?.stringValue == "acct-shared-keyring", let number = members["version"]?.numberValue?.integer
    else { return false }
    return number > version || members["engine"]?.stringValue.map { Keyring.Kind(rawValue: $0) == nil } ?? false
  }

  private static func engine(_ kind: Keyring.Kind, _ members: JSONObject) -> SharedKeyringSettings.Engine? {
    let texts = ["certificate", "key", "authority", "user", "passwordFile", "connection"]
    guard texts.allSatisfy({ members[$0] == nil || members[$0]?.stringValue != nil }) else { return nil }
    switch kind {
    case .secretService, .vault, .memory: return nil
    case .etcd:
      let values = members["endpoints"]?.arrayValue ?? []
      let endpoints = values.compactMap(\.stringValue)
      guard !endpoints.isEmpty, endpoints.count == values.count else { return nil }
      return .etcd(
        SharedKeyringSettings.Etcd(
          endpoints: endpoints,
          certificate: members["certificate"]?.stringValue,
          key: members["key"]?.stringValue,
          authority: members["authority"]?.stringValue,
          user: members["user"]?.stringValue,
          passwordFile: members["passwordFile"]?.stringValue
        )
      )
    case .postgres:
      guard let connection = members["connection"]?.stringValue else { return nil }
      return .postgres(
        SharedKeyringSettings.Postgres(connection: connection, passwordFile: members["passwordFile"]?.stringValue)
      )
    }
  }
}
