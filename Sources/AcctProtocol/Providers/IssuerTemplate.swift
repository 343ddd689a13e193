package import AcctModel

/// The issuer of a server with many tenants, whose name only the ID token tells:
/// `https://login.microsoftonline.com/{tenantid}/v2.0`.
package struct IssuerTemplate: Equatable, Sendable {
  /// With `{tenantid}` in it, as such a server's own metadata has it.
  package let text: String

  /// The issuer of one tenant.
  ///
  /// - Parameter tenant: As an ID token names it in `tid`: a UUID.
  /// - Returns: `nil` where it is none.
  package func issuer(of tenant: String) -> Issuer? {
    let groups = tenant.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
    guard groups == [8, 4, 4, 4, 12], tenant.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") })
    else { return nil }
    let mark = ProviderAddress.Placeholder.tenantID.mark
    return try? Issuer(text.replacing(mark, with: tenant))
  }
}
