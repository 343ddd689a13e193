import AcctModel
import AcctPorts
import FleetPorts

extension SharedKeyringSettings {
  /// Reads the settings that the environment names, if `ACCT_KEYRING` chooses an engine and its place is there.
  ///
  /// - Returns: `nil` where the environment names none.
  /// - Throws: ``KeyringFailure/settings(_:)`` for settings that can't be used.
  static func named(by environment: ProcessEnvironment) throws(KeyringFailure) -> SharedKeyringSettings? {
    do throws(KeyringSettingsFlaw) {
      switch environment.variable("ACCT_KEYRING").flatMap(Keyring.Kind.init(rawValue:)) {
      case .etcd: return try etcd(environment.variable)
      case .postgres: return try postgres(environment.variable)
      case .secretService, .vault, .memory, nil: return nil
      }
    } catch {
      throw .settings(error)
    }
  }

  private static func etcd(_ variable: (String) -> String?) throws(KeyringSettingsFlaw) -> SharedKeyringSettings? {
    guard let endpoints = variable("ACCT_ETCD_ENDPOINTS") else { return nil }
    let etcd = Etcd(
      endpoints: try EtcdEndpoints.parse(endpoints),
      certificate: variable("ACCT_ETCD_CERT"),
      key: variable("ACCT_ETCD_KEY"),
      authority: variable("ACCT_ETCD_CA"),
      user: variable("ACCT_ETCD_USER"),
      passwordFile: variable("ACCT_ETCD_PASSWORD_FILE")
    )
    return SharedKeyringSettings(engine: .etcd(etcd), name: try name(variable("ACCT_ETCD_NAME")))
  }

  private static func postgres(_ variable: (String) -> String?) throws(KeyringSettingsFlaw) -> SharedKeyringSettings? {
    guard let connection = variable("ACCT_POSTGRES") else { return nil }
    let postgres = Postgres(
      connection: try PostgresConnection.check(connection),
      passwordFile: variable("ACCT_POSTGRES_PASSWORD_FILE")
    )
    return SharedKeyringSettings(engine: .postgres(postgres), name: try name(variable("ACCT_POSTGRES_NAME")))
  }

  private static func name(_ given: String?) throws(KeyringSettingsFlaw) -> String {
    let name = given ?? "main"
    try SharedKeyringName.check(name)
    return name
  }
}
