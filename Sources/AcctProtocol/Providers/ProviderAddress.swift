package import AcctModel
import Text

/// An address of a provider's file, in which parts may be left open: `https://{host}/realms/{realm}`.
///
/// `{host}` is the whole host, `{tenant}` and `{realm}` are each a whole segment of the path, so what is put
/// in for them changes nothing else of the address.
package struct ProviderAddress: Equatable, Sendable {
  /// As the file has it.
  package let template: String
  /// The parts that must be filled in.
  package let placeholders: Set<Placeholder>
  /// The origin, in which the host may be left open: `https://{host}`.
  let place: String

  /// A part that is left open.
  package enum Placeholder: String, Sendable, CaseIterable {
    case host, tenant, realm
    /// The tenant that an ID token names: in an issuer alone.
    case tenantID = "tenantid"

    var mark: String { "{\(rawValue)}" }
  }

  /// Reads an address.
  ///
  /// - Parameters:
  ///   - text: An https URL, or one of http on loopback.
  ///   - allowed: The parts that may be left open.
  ///   - isPage: `true` for a page that a browser shows, whose address may name a part of it behind a `#`.
  /// - Throws: ``ProviderFlaw/Problem``.
  init(
    _ text: String,
    allowing allowed: Set<Placeholder> = [.host, .tenant, .realm],
    isPage: Bool = false
  ) throws(ProviderFlaw.Problem) {
    template = text
    let address = text.prefix { $0 != "#" }
    guard let mark = address.firstRange(of: "://"), isPage || address.endIndex == text.endIndex else {
      throw .malformed
    }
    guard text[address.endIndex...].utf8.allSatisfy({ $0.isVisibleASCII && !"{}".utf8.contains($0) })
    else { throw .malformed }
    let rest = address[mark.upperBound...]
    let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
    let authority = rest[..<end]
    var found: Set<Placeholder> = []
    if authority == Placeholder.host.mark {
      found.insert(.host)
    } else if authority.contains(where: { "{}".contains($0) }) {
      throw .placeholder
    }
    let path = rest[end...].prefix { $0 != "?" }
    for segment in path.split(separator: "/") where segment.contains(where: { "{}".contains($0) }) {
      let known = Placeholder.allCases.first { $0.mark == segment && $0 != .host }
      guard let known else { throw .placeholder }
      found.insert(known)
    }
    guard found.isSubset(of: allowed), !rest[path.endIndex...].contains(where: { "{}".contains($0) })
    else { throw .placeholder }
    placeholders = found

    // With sample values it must be an address that means what it says.
    let sample: HTTPURL
    do {
      sample = try HTTPURL(filling(String(address)) { $0 == .host ? "host.invalid" : "a" })
    } catch {
      throw ProviderFlaw.Problem(error)
    }
    guard !found.contains(.host) || sample.origin.scheme == .https else { throw .refused(.plainHTTP) }
    place = found.contains(.host) ? "https://\(Placeholder.host.mark)" : sample.origin.description
  }

  /// Stands for the redirect address in the page of a registration, where braces would be a part of this address.
  static let redirectMark = "acct-redirect-address"

  /// The page of a registration with everything put in.
  ///
  /// - Parameters:
  ///   - place: The parts that the user typed.
  ///   - redirect: The address that a browser comes back to.
  /// - Returns: The page's address.
  func page(_ place: ProviderPlace, redirect: String) -> String {
    filled(place).replacing(Self.redirectMark, with: percentEncoded(redirect))
  }

  /// The address with everything put in; the tenant of an ID token stays open.
  func filled(_ place: ProviderPlace) -> String {
    filling(template) { placeholder in
      switch placeholder {
      case .host: place.host
      case .tenant: place.tenant
      case .realm: place.realm
      case .tenantID: nil
      }
    }
  }
}

/// Replaces placeholders by values; one without a value stays.
func filling(_ template: String, _ value: (ProviderAddress.Placeholder) -> String?) -> String {
  ProviderAddress.Placeholder.allCases.reduce(template) { text, placeholder in
    guard let value = value(placeholder) else { return text }
    return text.replacing(placeholder.mark, with: value)
  }
}

/// A provider as it is typed: `github`, `gitlab:git.example`.
package struct ProviderName: Hashable, Sendable, CustomStringConvertible {
  /// The name of the provider's file, in lower case.
  package let name: String
  /// The text behind the colon.
  package let place: String?

  /// Reads a word that can be no handle, DID or URL: it has no dot before its colon; `nil` for any other.
  ///
  /// - Parameter text: The word as it was typed.
  package init?(_ text: String) {
    guard !text.hasPrefix("did:"), !text.hasPrefix("@") else { return nil }
    let name = text.prefix { $0 != ":" }
    // Behind any other name, a URL stands where a host belongs.
    let isURL = text[name.endIndex...].hasPrefix("://")
    guard !isURL || !["http", "https", "at"].contains(name.lowercased()) else { return nil }
    guard !name.contains(where: { "./".contains($0) }) else { return nil }
    self.name = name.lowercased()
    place = name.endIndex < text.endIndex ? String(text[name.endIndex...].dropFirst()) : nil
  }

  package var description: String { place.map { "\(name):\($0)" } ?? name }

  /// The name of the first account with a key for it: `openai`, `grafana@grafana.example`.
  package var accountName: String { place.map { "\(name)@\($0)" } ?? name }

  /// The files that can describe it, the best first: one for servers of one's own host, then the general one.
  package var files: [String] { place == nil ? [name] : ["\(name)-host", name] }

  /// `true` for a text that can be the name of a provider's file: lower-case letters, digits and hyphens.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
      && text.utf8.allSatisfy { byte in
        byte.isASCIIDigit || byte.isASCIISmallLetter || byte == UInt8(ascii: "-")
      }
  }
}

/// The issuer of a server with many tenants, whose name only the ID token tells:
/// `https://login.microsoftonline.com/{tenantid}/v2.0`.
package struct IssuerTemplate: Equatable, Sendable {
  /// With `{tenantid}` in it, as such a server's own metadata has it.
  package let text: String

  /// The issuer of one tenant.
  ///
  /// - Parameter tenant: As an ID token names it in `tid`: a UUID.
  /// - Returns: The issuer; `nil` if the tenant does not have the form of a UUID.
  package func issuer(of tenant: String) -> Issuer? {
    let groups = tenant.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
    guard groups == [8, 4, 4, 4, 12], tenant.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") })
    else { return nil }
    let mark = ProviderAddress.Placeholder.tenantID.mark
    return try? Issuer(text.replacing(mark, with: tenant))
  }
}

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
