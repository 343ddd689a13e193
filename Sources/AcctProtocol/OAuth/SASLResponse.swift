import AcctModel
package import Secrets
import Release

/// The initial response of a SASL mechanism that sends a bearer token, for mail and other protocols than HTTP.
package struct SASLResponse: Equatable, Sendable {
  /// The mechanisms that send a bearer token as it is.
  package enum Mechanism: String, CaseIterable, Sendable {
    /// Google's, which most mail servers know.
    case xoauth2
    /// RFC 7628, section 3.1.
    case oauthbearer
  }

  /// Why a user name can't be sent.
  package enum Flaw: Error, Equatable, Sendable {
    case empty
    /// Longer than 1,024 bytes.
    case tooLong
    /// A control character could end the name and begin another member.
    case control
  }

  /// The text before the token.
  private let start: String

  /// Checks the user name.
  ///
  /// - Parameters:
  ///   - mechanism: The SASL mechanism, which decides the form of the response.
  ///   - user: The user of the mailbox, as its server knows it: most often an address.
  /// - Throws: ``Flaw``.
  package init(_ mechanism: Mechanism, user: String) throws(Flaw) {
    guard !user.isEmpty else { throw .empty }
    guard user.utf8.count <= 1024 else { throw .tooLong }
    do throws(OutputFlaw) {
      start =
        switch mechanism {
        case .xoauth2: "user=\(try OutputFormat.xoauth2User.written(user))\u{01}auth=Bearer "
        case .oauthbearer: "n,a=\(try OutputFormat.saslName.written(user)),\u{01}auth=Bearer "
        }
    } catch { throw .control }
  }

  /// The response in base64, as IMAP, SMTP and POP send it on a line.
  ///
  /// Host and port, which OAUTHBEARER leaves open, are not in it: they are for tokens that are signed for them.
  package func text(_ token: Secret) -> Secret {
    Secret(joining: [Secret(start), token, Secret("\u{01}\u{01}")]).inBase64
  }
}
