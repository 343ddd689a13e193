/// The certificate that an account's client presents in TLS (RFC 8705), as its account knows it: no secret.
///
/// One reference, so that the accounts without one, which are nearly all, are no larger for it.
package struct ClientCertificate: Equatable, Sendable {
  private var contents: Contents

  package init(
    thumbprint: String,
    endsAt: Timestamp,
    isBound: Bool = false,
    files: Files? = nil,
    isKeyInToken: Bool = false
  ) {
    contents = Contents(thumbprint, endsAt, isBound, files, isKeyInToken)
  }

  /// `x5t#S256`: the SHA-256 of the certificate in DER, in base64url (RFC 8705, section 3.1).
  package var thumbprint: String { contents.thumbprint }

  /// The end of its validity.
  package var endsAt: Timestamp { contents.endsAt }

  /// `true` if its key is in a token, which it never leaves.
  package var isKeyInToken: Bool { contents.isKeyInToken }

  /// `true` if the account's tokens are bound to it: a server takes them on a connection with this certificate only.
  package var isBound: Bool {
    get { contents.isBound }
    set {
      self = Self(thumbprint: thumbprint, endsAt: endsAt, isBound: newValue, files: files, isKeyInToken: isKeyInToken)
    }
  }

  /// The user's own files that it and its key were read from; `nil` where that was no file, and for an account that
  /// other machines have as well.
  package var files: Files? {
    get { contents.files }
    set {
      self = Self(thumbprint: thumbprint, endsAt: endsAt, isBound: isBound, files: newValue, isKeyInToken: isKeyInToken)
    }
  }

  /// The absolute paths of two files, or of one with both.
  package struct Files: Equatable, Sendable {
    package var certificate: String
    package var key: String

    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  private final class Contents: Equatable, Sendable {
    let thumbprint: String
    let endsAt: Timestamp
    let isBound: Bool
    let files: Files?
    let isKeyInToken: Bool

    init(_ thumbprint: String, _ endsAt: Timestamp, _ isBound: Bool, _ files: Files?, _ isKeyInToken: Bool) {
      self.thumbprint = thumbprint
      self.endsAt = endsAt
      self.isBound = isBound
      self.files = files
      self.isKeyInToken = isKeyInToken
    }

    static func == (left: Contents, right: Contents) -> Bool {
      left.thumbprint == right.thumbprint && left.endsAt == right.endsAt && left.isBound == right.isBound
        && left.files == right.files && left.isKeyInToken == right.isKeyInToken
    }
  }
}

extension ClientCertificate {
  /// Seconds before its end at which its end is announced: 14 days.
  package static let warning: Int64 = 14 * 86_400

  /// `true` if it is no longer valid.
  package func hasEnded(at now: Timestamp) -> Bool { endsAt <= now }

  /// `true` if it ends soon, or has ended.
  package func endsSoon(at now: Timestamp) -> Bool { endsAt.seconds(since: now) <= Self.warning }
}
