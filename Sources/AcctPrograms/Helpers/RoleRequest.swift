import AcctEngine
package import AcctModel
package import AcctProtocol
package import Release
import Secrets
import Text

/// A request for the temporary keys of a role of AWS: AssumeRoleWithWebIdentity of its Security Token Service (STS).
package struct RoleRequest: Equatable, Sendable {
  /// The role's Amazon resource name.
  package var role: String
  /// The name of the session, which AWS writes into its logs.
  package var session: String
  /// Seconds; `nil` for the service's own choice.
  package var duration: Int?
  /// The STS of a region, or the one for all.
  package var endpoint: HTTPURL
  /// `true` to send the access token in the place of the ID token.
  package var sendsAccessToken = false

  /// Everything on which the keys depend, without blanks in its parts.
  package var purpose: String {
    let seconds = duration.map(String.init) ?? "-"
    return "\(role) \(session) \(seconds) \(sendsAccessToken ? "access" : "id") \(endpoint)"
  }

  /// The form to send.
  ///
  /// - Parameter token: The token that proves the identity.
  /// - Returns: The form.
  package func form(_ token: Token) -> FormBody {
    var form = FormBody()
    form.add("Action", "AssumeRoleWithWebIdentity")
    form.add("Version", "2011-06-15")
    form.add("RoleArn", role)
    form.add("RoleSessionName", session)
    form.add("DurationSeconds", duration.map(String.init))
    form.addToken("WebIdentityToken", token)
    return form
  }

  /// `true` for a resource name of 20 to 2048 characters without blanks, of any partition.
  static func isRole(_ text: String) -> Bool {
    (20...2048).contains(text.utf8.count) && text.hasPrefix("arn:")
      && text.utf8.allSatisfy(\.isVisibleASCII)
  }

  /// `true` for 2 to 64 of the characters that STS takes.
  static func isSession(_ text: String) -> Bool {
    (2...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_=,.@-+".utf8.contains($0) }
  }

  /// The STS of a region.
  ///
  /// - Parameter region: Such as `eu-central-1`; `nil` for the one for all regions.
  /// - Returns: `nil` if the region can't be a label of a host's name.
  static func endpoint(_ region: String?) -> HTTPURL? {
    guard let region else { return try? HTTPURL("https://sts.amazonaws.com") }
    guard (1...63).contains(region.utf8.count), !region.hasPrefix("-"), !region.hasSuffix("-"),
      region.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0.isASCIIDigit || $0.isASCIISmallLetter })
    else { return nil }
    return try? HTTPURL("https://sts.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")")
  }
}
