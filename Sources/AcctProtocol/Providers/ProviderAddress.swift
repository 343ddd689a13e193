import AcctModel
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
  /// - Throws: ``ProviderFlaw/Problem``.
  init(_ text: String, allowing allowed: Set<Placeholder> = [.host, .tenant, .realm]) throws(ProviderFlaw.Problem) {
    template = text
    guard let mark = text.firstRange(of: "://"), !text.utf8.contains(UInt8(ascii: "#")) else { throw .malformed }
    let rest = text[mark.upperBound...]
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
      sample = try HTTPURL(filling(template) { $0 == .host ? "host.invalid" : "a" })
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
