import AcctModel
package import AcctCrypto
import StrictJSON

/// A file of accounts under a passphrase: scrypt (RFC 7914) and AES-256-GCM, as JSON that survives
/// being mailed or pasted.
///
/// `Documentation/export-format.md` describes it for readers without acct.
package struct SealedExport: Equatable, Sendable {
  /// The cost of one guess at the passphrase.
  package let kdf: KDFParameters
  package let salt: [UInt8]
  package let nonce: [UInt8]
  /// The ciphertext and its tag.
  package let sealed: [UInt8]

  static let format = "acct-export"
  static let version: Int64 = 1
  static let cipher = "AES-256-GCM"
  static let saltCount = 16

  /// Puts the parts of a file together; only its passphrase tells whether they belong together.
  package init(kdf: KDFParameters, salt: [UInt8], nonce: [UInt8], sealed: [UInt8]) {
    self.kdf = kdf
    self.salt = salt
    self.nonce = nonce
    self.sealed = sealed
  }

  /// The header, in the one spelling that is authenticated with the contents.
  var header: JSON {
    [
      "format": .string(Self.format),
      "version": .number(JSONNumber(Self.version)),
      "kdf": "scrypt",
      "n": .number(JSONNumber(Int64(kdf.n))),
      "r": .number(JSONNumber(Int64(kdf.r))),
      "p": .number(JSONNumber(Int64(kdf.p))),
      "salt": .string(Base64URL.encode(salt.span)),
      "cipher": .string(Self.cipher),
      "nonce": .string(Base64URL.encode(nonce.span)),
    ]
  }

  /// The bytes that AES-GCM authenticates beside the contents, so that salt, nonce and cost can't be exchanged.
  var associatedData: [UInt8] { header.serialized() }

  /// Distinguishes a file that was damaged on its way from a wrong passphrase, which AES-GCM
  /// cannot; it keeps no attacker out and need not.
  var checksum: String {
    let text = associatedData + sealed
    return Base64URL.encode(SHA256.hash(text.span).span)
  }
}

/// Why an export can't be read.
package enum SealedExportError: Error, Equatable, Sendable {
  /// It is not an export as acct writes one; it names the member at fault, and nothing of its value.
  case malformed(member: String)
  /// A later format.
  case unknownVersion
  /// The scrypt parameters are none, or would exhaust the machine.
  case unsuitableCost
  /// It was changed on its way.
  case damaged
  /// The passphrase is wrong, or the file and its checksum were modified.
  case notOpened
  /// OpenSSL failed, as it does when memory runs out.
  case libraryFailed
}
