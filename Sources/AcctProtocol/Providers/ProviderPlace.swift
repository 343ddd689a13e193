import AcctModel
import Text

/// The parts that the user typed behind a provider's name: `gitlab:git.example`, `keycloak:sso.example/main`.
package struct ProviderPlace: Equatable, Sendable {
  /// Host and port, as an origin has them.
  package internal(set) var host: String?
  package internal(set) var tenant: String?
  package internal(set) var realm: String?

  /// Why the text behind a provider's name can't be used.
  package enum Flaw: Error, Equatable, Sendable {
    /// The provider has no parts to put in.
    case unwanted
    /// Nothing was put in, and there is no default.
    case missing(Set<ProviderAddress.Placeholder>)
    /// It is no host.
    case host(String)
    /// It is no name of a tenant or a realm.
    case name(String)
  }

  init() {}

  /// Reads the text after the colon.
  ///
  /// - Parameters:
  ///   - text: `HOST`, `HOST/REALM`, `TENANT`, or `nil` if there was no colon.
  ///   - needed: The parts that the provider's addresses leave open.
  ///   - defaults: The file's values for parts that are not typed.
  /// - Throws: ``Flaw``.
  init(_ text: String?, for needed: Set<ProviderAddress.Placeholder>, defaults: ProviderPlace) throws(Flaw) {
    self = defaults
    if let text {
      guard !needed.isEmpty else { throw .unwanted }
      var rest = text[...]
      if needed.contains(.host) {
        // Of a URL, the scheme would be taken for the host.
        guard !text.contains("//"), !text.hasPrefix("/") else { throw .host(text) }
        let host = rest.prefix { $0 != "/" }
        self.host = try Self.host(String(host))
        rest = rest[host.endIndex...].dropFirst()
      }
      if needed.contains(.realm) || needed.contains(.tenant) {
        if !rest.isEmpty {
          let name = try Self.name(String(rest))
          if needed.contains(.realm) { realm = name } else { tenant = name }
        }
      } else if needed.contains(.host), text.contains("/") {
        throw .host(text)
      }
    }
    let missing = needed.filter { placeholder in
      switch placeholder {
      case .host: host == nil
      case .tenant: tenant == nil
      case .realm: realm == nil
      case .tenantID: false
      }
    }
    guard missing.isEmpty else { throw .missing(missing) }
  }

  /// A host with or without a port, and nothing that an address could continue with.
  static func host(_ text: String) throws(Flaw) -> String {
    let isPlain = text.utf8.allSatisfy { byte in byte.isASCIIAlphanumeric || "-._:[]".utf8.contains(byte) }
    guard isPlain, !text.isEmpty, text.utf8.count <= 253,
      let origin = try? Origin("https://\(text)"), origin.host.contains(where: { $0 != "." })
    else { throw .host(text) }
    return origin.authority
  }

  /// One segment of a path that means itself: letters, digits, `-`, `.`, `_` and `~`.
  static func name(_ text: String) throws(Flaw) -> String {
    let isPlain = text.utf8.allSatisfy(\.isUnreserved)
    guard isPlain, (1...128).contains(text.utf8.count), text.contains(where: { $0 != "." }) else { throw .name(text) }
    return text
  }
}
