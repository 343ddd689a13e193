import AcctCrypto
package import Secrets
package import AcctPorts
import StrictJSON
import Text

/// The header of a vault whose key is a file: it wraps no key, and a check value tells another key from the right
/// one.
package struct KeyFileHeader: Equatable, Sendable {
  let salt: [UInt8]
  /// HMAC-SHA256 of the salt under a key derived of the vault's, cut to 16 bytes.
  let check: [UInt8]

  static let version: Int64 = 1
  static let checkCount = 16

  /// Makes the header of a key, with a salt of its own.
  package init(of key: Secret, entropy: Entropy) {
    salt = entropy.bytes(VaultHeader.saltCount)
    check = Self.check(key, salt)
  }

  /// `true` if it is the header of this key.
  package func isOf(_ key: Secret) -> Bool { ConstantTime.equal(Self.check(key, salt).span, check.span) }

  private static func check(_ key: Secret, _ salt: [UInt8]) -> [UInt8] {
    let checking = HMACSHA256.derivedKey("acct vault header \(version) check", from: key)
    return Array(HMACSHA256.code(salt.span, key: checking).prefix(checkCount))
  }

  private var checksum: String { hex(SHA256.hash((salt + check).span).prefix(16)) }

  /// The word in the place of a function that derives keys.
  static let kind = "none"

  /// The header's contents.
  package func serialized() -> [UInt8] {
    let json: JSON = [
      "format": "acct-vault",
      "version": .number(JSONNumber(Self.version)),
      "kdf": .string(Self.kind),
      "salt": .string(hex(salt)),
      "check": .string(hex(check)),
      "checksum": .string(checksum),
    ]
    return json.serialized() + [UInt8(ascii: "\n")]
  }

  /// Reads the members of a header of this kind.
  init(_ members: JSONObject) throws(Damage) {
    guard let salt = members.hexBytes("salt", count: VaultHeader.saltCount),
      let check = members.hexBytes("check", count: Self.checkCount)
    else { throw Damage(reason: "the header is incomplete") }
    (self.salt, self.check) = (salt, check)
    guard members["checksum"]?.stringValue == checksum else { throw Damage(reason: "the header's checksum is wrong") }
  }
}

/// The header of a vault that is opened by a passphrase or by a key file.
package enum AnyVaultHeader: Equatable {
  case passphrase(VaultHeader)
  case keyFile(KeyFileHeader)

  package static var sizeLimit: Int { VaultHeader.sizeLimit }

  /// Reads a header of either kind.
  ///
  /// - Throws: ``Damage``; also for one that is sealed in a TPM, as only a vault of one machine is.
  package init(parsing contents: [UInt8]) throws(Damage) {
    if let members = try? JSON(parsing: contents, maximumBytes: Self.sizeLimit).objectValue,
      members["format"]?.stringValue == "acct-vault", members["version"]?.numberValue?.integer == KeyFileHeader.version,
      members["kdf"]?.stringValue == KeyFileHeader.kind
    {
      self = .keyFile(try KeyFileHeader(members))
    } else {
      let header = try VaultHeader(parsing: contents)
      // It lies on an engine: anyone who writes there could have an object sealed by any TPM that answers.
      guard header.seal == nil else {
        throw Damage(reason: "the header of a shared keyring is sealed in a TPM, which none may be")
      }
      self = .passphrase(header)
    }
  }

  /// The header's contents.
  package func serialized() -> [UInt8] {
    switch self {
    case .passphrase(let header): header.serialized()
    case .keyFile(let header): header.serialized()
    }
  }
}
