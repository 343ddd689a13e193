/// Why the settings of a shared keyring can't be used.
///
/// It repeats nothing of what was given, which may be a password.
package enum KeyringSettingsFlaw: Error, Equatable, Sendable {
  /// The keyring's name.
  case name
  /// A member of etcd is not `https://HOST:PORT`.
  case endpoint
  /// A connection string or URI of PostgreSQL can't be parsed.
  case connection
  /// It names no host.
  case noHost
  /// It has a word that would take settings from elsewhere, such as `service`.
  case indirect(keyword: String)
  /// It holds a password.
  case password
  /// Its `sslmode`, one of libpq's, accepts a server whose certificate or name is not verified.
  case unverified(mode: String)
}
