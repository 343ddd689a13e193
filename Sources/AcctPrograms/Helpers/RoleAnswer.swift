package import AcctEngine
import AcctProtocol
package import AcctModel
import Secrets
import Release
import Text

/// The answer of AWS's STS to a ``RoleRequest``.
package enum RoleAnswer: Sendable {
  case keys(RoleKeys)
  /// It refuses, with its code and its message.
  case refused(code: String, message: String?)
  /// This element is missing, given twice, or not of its form.
  case malformed(member: String)

  /// The kind of a refusal.
  package enum Cause: Sendable {
    /// The token has expired.
    case expired
    /// The token's issuer or its audience is not in the AWS account.
    case issuer
    /// The issuer said that a claim is not valid.
    case claim
    /// The role's trust policy.
    case access
    /// The issuer does not answer the service.
    case issuerAway
    /// The service is not turned on in the region.
    case region
    /// Too many requests.
    case rate
    case other
  }

  private static let credentials = "AssumeRoleWithWebIdentityResponse/AssumeRoleWithWebIdentityResult/Credentials/"

  /// - Parameters:
  ///   - status: The status of the response.
  ///   - texts: Its texts.
  ///   - redact: Removes secrets from a text for people.
  package init(_ status: Int, _ texts: [XMLText], redact: (String) -> String) {
    guard status == 200 else {
      guard let code = texts.only("ErrorResponse/Error/Code")?.shownText, Self.isCode(code), redact(code) == code
      else {
        self = .malformed(member: "Code")
        return
      }
      let message = texts.only("ErrorResponse/Error/Message").map { redact($0.shownText) }
      self = .refused(code: code, message: message.flatMap { $0.isEmpty ? nil : $0 })
      return
    }
    do throws(Missing) {
      self = .keys(
        RoleKeys(
          id: try Self.token("AccessKeyId", texts),
          secret: try Self.token("SecretAccessKey", texts),
          token: try Self.token("SessionToken", texts),
          expiresAt: try Self.end(texts)
        )
      )
    } catch {
      self = .malformed(member: error.member)
    }
  }

  /// The cause that a code of STS stands for.
  package static func cause(of code: String) -> Cause {
    switch code {
    case "ExpiredTokenException", "ExpiredToken": .expired
    case "InvalidIdentityToken": .issuer
    case "IDPRejectedClaim": .claim
    case "AccessDenied", "AccessDeniedException": .access
    case "IDPCommunicationError": .issuerAway
    case "RegionDisabledException": .region
    // Those that AWS's own libraries read so.
    case "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException",
      "RequestLimitExceeded", "TooManyRequestsException", "SlowDown", "PriorRequestNotComplete":
      .rate
    default: .other
    }
  }

  private struct Missing: Error { var member: String }

  private static func token(_ member: String, _ texts: [XMLText]) throws(Missing) -> Token {
    guard let text = texts.only(credentials + member), let token = try? Token(text) else {
      throw Missing(member: member)
    }
    return token
  }

  private static func end(_ texts: [XMLText]) throws(Missing) -> Timestamp {
    guard let text = texts.only(credentials + "Expiration"), let end = try? Timestamp(text.shownText) else {
      throw Missing(member: "Expiration")
    }
    return end
  }

  /// `true` for letters, digits and dots.
  private static func isCode(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") }
  }
}

extension [XMLText] {
  /// The text of the only element with a path.
  fileprivate func only(_ path: String) -> Secret? {
    let found = filter { $0.path == path }
    return found.count == 1 ? found[0].text : nil
  }
}
