package import AcctModel
import Text

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
