package import AcctPorts

/// The location of a shared keyring and this machine's access to it; no secret, but paths of files that hold one.
package struct SharedKeyringSettings: Equatable, Sendable {
  package var engine: Engine
  /// The keyring's name on the engine, as in `/acct/NAME/`.
  package var name: String

  package init(engine: Engine, name: String) {
    self.engine = engine
    self.name = name
  }

  /// The engine, with its specific settings.
  package enum Engine: Equatable, Sendable {
    case etcd(Etcd)
    case postgres(Postgres)
  }

  /// A cluster of etcd.
  package struct Etcd: Equatable, Sendable {
    /// `https://HOST:PORT`, one for each member.
    package var endpoints: [String]
    /// Paths of PEM files: the client's certificate and its key, and the authority that issued the members' own.
    package var certificate: String?
    package var key: String?
    package var authority: String?
    /// A user of etcd, and the path of the file with the password.
    package var user: String?
    package var passwordFile: String?

    package init(
      endpoints: [String],
      certificate: String? = nil,
      key: String? = nil,
      authority: String? = nil,
      user: String? = nil,
      passwordFile: String? = nil
    ) {
      self.endpoints = endpoints
      self.certificate = certificate
      self.key = key
      self.authority = authority
      self.user = user
      self.passwordFile = passwordFile
    }
  }

  /// A database of PostgreSQL.
  package struct Postgres: Equatable, Sendable {
    /// A connection string of libpq without a password.
    package var connection: String
    /// The path of the file with the password; else libpq's own `passfile`.
    package var passwordFile: String?

    package init(connection: String, passwordFile: String? = nil) {
      self.connection = connection
      self.passwordFile = passwordFile
    }
  }
}

extension SharedKeyringSettings {
  /// The kind of keyring that these settings describe.
  package var kind: Keyring.Kind {
    switch engine {
    case .etcd: .etcd
    case .postgres: .postgres
    }
  }

  /// The members of a cluster of etcd.
  package var endpoints: [String]? {
    switch engine {
    case .etcd(let etcd): etcd.endpoints
    case .postgres: nil
    }
  }

  /// The connection string of a database.
  package var connection: String? {
    switch engine {
    case .etcd: nil
    case .postgres(let postgres): postgres.connection
    }
  }
}
