import AcctModel
package import AcctPorts
import Text

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

/// A connection string of libpq, checked: `host=… dbname=…`, or `postgresql://…`
/// (<https://www.postgresql.org/docs/15/libpq-connect.html>, 34.1.1).
package enum PostgresConnection {
  /// Checks that it names a host, holds no password, and does not weaken TLS.
  ///
  /// - Parameters:
  ///   - text: The string.
  ///   - authority: The file of the authority to trust, in place of any that the string names (`sslrootcert`).
  /// - Returns: The string without the spaces around it, with the authority.
  /// - Throws: ``KeyringSettingsFlaw``.
  package static func check(_ text: String, trusting authority: String? = nil) throws(KeyringSettingsFlaw) -> String {
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .connection }
    let isURI = ["postgresql://", "postgres://"].contains { text.hasPrefix($0) }
    let settings = isURI ? try settings(inURI: text) : try settings(inWords: text)
    for (keyword, value) in settings { try check(keyword, value) }
    // A path is a socket of this machine, where no TLS is used.
    let hosts = settings.filter { ["host", "hostaddr"].contains($0.keyword) }.map(\.value)
    guard hosts.contains(where: { !$0.isEmpty }), hosts.allSatisfy({ !$0.hasPrefix("/") && !$0.hasPrefix("@") })
    else { throw .noHost }
    guard let authority else { return String(text) }
    // Of two, libpq takes the last one.
    guard isURI else {
      do { return "\(text) sslrootcert=\(try OutputFormat.connectionValue.written(authority))" } catch {
        throw .connection
      }
    }
    let path = authority.utf8.map { byte in
      byte.isUnreserved || byte == UInt8(ascii: "/") ? String(Unicode.Scalar(byte)) : "%\(hex([byte]))"
    }
    .joined()
    return "\(text)\(text.contains("?") ? "&" : "?")sslrootcert=\(path)"
  }

  private typealias Setting = (keyword: String, value: String)

  private static func check(_ keyword: String, _ value: String) throws(KeyringSettingsFlaw) {
    switch keyword {
    case "password", "sslpassword": throw .password
    case "service", "servicefile": throw .indirect(keyword: keyword)
    case "sslmode":
      if ["disable", "allow", "prefer", "require", "verify-ca"].contains(value) { throw .unverified(mode: value) }
      guard value == "verify-full" else { throw .connection }
    default: break
    }
  }

  /// `keyword = value`, separated by spaces; a value may be in quotes, and have `\` before a character.
  private static func settings(inWords text: Substring) throws(KeyringSettingsFlaw) -> [Setting] {
    var settings: [Setting] = []
    var rest = text.unicodeScalars
    while true {
      rest = rest.drop { $0 == " " }
      guard !rest.isEmpty else { return settings }
      let keyword = rest.prefix { $0 != "=" && $0 != " " }
      rest = rest[keyword.endIndex...].drop { $0 == " " }
      guard !keyword.isEmpty, rest.popFirst() == "=" else { throw .connection }
      rest = rest.drop { $0 == " " }
      let isQuoted = rest.first == "'"
      if isQuoted { rest.removeFirst() }
      var value = String.UnicodeScalarView()
      var isOpen = isQuoted
      while let next = rest.first, isQuoted || next != " " {
        rest.removeFirst()
        if isQuoted, next == "'" {
          isOpen = false
          break
        }
        if next == "\\" {
          guard let escaped = rest.popFirst() else { continue }
          value.append(escaped)
        } else {
          value.append(next)
        }
      }
      guard !isOpen else { throw .connection }
      settings.append((String(keyword), String(value)))
    }
  }

  /// `postgresql://[user@][host][:port][,…][/database][?keyword=value&…]`, percent-encoded.
  private static func settings(inURI text: Substring) throws(KeyringSettingsFlaw) -> [Setting] {
    guard let scheme = text.firstRange(of: "://") else { throw .connection }
    let (address, query) = split(text[scheme.upperBound...], at: "?")
    let (authority, _) = split(address, at: "/")
    var hosts = authority
    if let at = authority.lastIndex(of: "@") {
      guard !authority[..<at].contains(":") else { throw .password }
      hosts = authority[authority.index(after: at)...]
    }
    var settings: [Setting] = []
    for host in hosts.split(separator: ",") {
      // An IPv6 address is in brackets, with the port after them.
      let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : split(host, at: ":").0
      settings.append(("host", try decoded(name)))
    }
    for parameter in (query ?? "").split(separator: "&") {
      let (keyword, value) = split(parameter, at: "=")
      guard let value else { throw .connection }
      settings.append((try decoded(keyword), try decoded(value)))
    }
    return settings
  }

  private static func split(_ text: Substring, at separator: Character) -> (Substring, Substring?) {
    guard let place = text.firstIndex(of: separator) else { return (text, nil) }
    return (text[..<place], text[text.index(after: place)...])
  }

  private static func decoded(_ text: Substring) throws(KeyringSettingsFlaw) -> String {
    // libpq would cut the text at a NUL.
    guard let bytes = percentDecoded(text.utf8), !bytes.contains(0) else { throw .connection }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The name of a keyring on an engine, as in `/acct/NAME/`.
package enum SharedKeyringName {
  /// Accepts 1 to 64 letters, digits, `-` and `_` of ASCII, so that no name is a part of another's keys.
  ///
  /// - Throws: ``KeyringSettingsFlaw/name``.
  package static func check(_ name: String) throws(KeyringSettingsFlaw) {
    let isUsable = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
    guard isUsable, (1...64).contains(name.utf8.count) else { throw .name }
  }
}

/// The members of a cluster of etcd, as they are given in one text.
package enum EtcdEndpoints {
  /// Parses `https://HOST:PORT[,…]`; a member that is named twice counts once.
  ///
  /// The port is always written: etcd's own is 2379, and that of https another one.
  ///
  /// - Throws: ``KeyringSettingsFlaw/endpoint``.
  package static func parse(_ text: String) throws(KeyringSettingsFlaw) -> [String] {
    var endpoints: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let origin = try? Origin(String(part)), origin.scheme == .https, origin.port != 0, hasPort(part)
      else { throw .endpoint }
      let endpoint = "https://\(origin.host):\(origin.port)"
      if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
    }
    return endpoints
  }

  /// Returns `true` if an origin ends with a port; the colons of a bracketed IPv6 address don't count.
  private static func hasPort(_ origin: Substring) -> Bool {
    let text = origin.hasSuffix("/") ? origin.dropLast() : origin
    let digits = text.reversed().prefix { $0.isASCII && $0.isNumber }
    return !digits.isEmpty && text.dropLast(digits.count).hasSuffix(":")
  }
}
