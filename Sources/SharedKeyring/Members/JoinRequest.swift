package import AcctCrypto
import Secrets
import AcctPorts
package import FleetPorts
import StrictJSON
import Vault
import Text

/// The code by which a machine joins: 80 random bits, which a person carries from one machine to the other.
///
/// The request is sealed by it, so that only the code's maker can have made the request, and no one without the code
/// reads who asks.
package struct JoinCode: Equatable, Sendable {
  private let bytes: [UInt8]

  private static let count = 10
  private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567")

  init(_ entropy: Entropy) { bytes = entropy.bytes(Self.count) }

  /// Reads a code; hyphens, spaces and the case of letters do not matter.
  package init?(_ text: String) {
    var number: [UInt8] = []
    var (rest, bits) = (UInt32(0), 0)
    for letter in text.lowercased() where letter != "-" && letter != " " {
      guard let value = Self.letters.firstIndex(of: letter) else { return nil }
      rest = rest << 5 | UInt32(value)
      bits += 5
      guard bits >= 8 else { continue }
      bits -= 8
      number.append(UInt8(truncatingIfNeeded: rest >> bits))
    }
    guard number.count == Self.count, bits == 0 else { return nil }
    bytes = number
  }

  /// The code in four groups of four letters.
  package var text: String {
    var (text, rest, bits) = ("", UInt32(0), 0)
    for byte in bytes {
      rest = rest << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(Self.letters[Int(rest >> bits & 31)])
      }
    }
    var groups: [Substring] = []
    while !text.isEmpty {
      groups.append(Substring(String(text.prefix(4))))
      text.removeFirst(4)
    }
    return groups.joined(separator: "-")
  }

  /// The name of its request on the engine.
  var place: String { hex(derived("place").withBytes { $0.array }.prefix(16)) }

  fileprivate func derived(_ purpose: String) -> Secret {
    HMACSHA256.derivedKey("acct keyring 3 request \(purpose)", from: Secret(bytes))
  }
}

/// The request of a machine that wants to join a keyring, as it lies on the engine.
package struct JoinRequest: Equatable, Sendable {
  package var publicKey: P256PublicKey
  /// The host's name.
  package var name: String
  /// Of acct.
  package var version: String
  /// Seconds since 1970, by the machine's own clock.
  package var at: Int64
  /// The identifier that the machine has had, as one that opened the keyring otherwise; empty for none.
  package var formerly = ""
  /// The place of the key; `nil` if the machine does not tell it.
  package var keyPlace: SharedMachine.KeyPlace?
  /// The means of the keyring that the machine has besides; `nil` for none.
  var holding: Means?
  /// The machine's signatures: that it has the key, and the passphrase or key file.
  var vouchers: [Voucher] = []

  private static let magic = Array("acct-join".utf8) + [1]
  private static let sizeLimit = 4096
  /// Seconds for which a code is good, give or take the difference of two clocks.
  static let lifetime: Int64 = 600

  package init(
    publicKey: P256PublicKey,
    name: String,
    version: String,
    at: Int64,
    formerly: String = "",
    keyPlace: SharedMachine.KeyPlace? = nil
  ) {
    self.publicKey = publicKey
    self.name = name
    self.version = version
    self.at = at
    self.formerly = formerly
    self.keyPlace = keyPlace
  }

  /// Seals the request by its code.
  func sealed(_ code: JoinCode, _ entropy: Entropy) throws(CryptoError) -> [UInt8] {
    var json: JSONObject = [
      "key": .string(hex(publicKey.point)), "name": .string(name), "version": .string(version), "at": JSON(at),
      "formerly": .string(formerly),
    ]
    if let keyPlace { json["place"] = .string(keyPlace.rawValue) }
    if let holding { json["holding"] = .string(holding.rawValue) }
    if !vouchers.isEmpty { json["vouchers"] = .array(vouchers.map(\.json)) }
    let nonce = entropy.bytes(AESGCM.nonceCount)
    let sealed = try AESGCM.seal(
      Secret(JSON.object(json).serialized()),
      key: code.derived("key"),
      nonce: nonce,
      associatedData: Self.magic + Array(code.place.utf8)
    )
    return Self.magic + nonce + sealed
  }

  /// Opens a request; `nil` if it is not the one that the code was made for.
  init?(_ bytes: [UInt8], _ code: JoinCode) {
    let start = Self.magic.count + AESGCM.nonceCount
    guard bytes.count > start, bytes.count <= Self.sizeLimit, bytes.starts(with: Self.magic) else { return nil }
    let opened = try? AESGCM.open(
      Array(bytes[start...]),
      key: code.derived("key"),
      nonce: Array(bytes[Self.magic.count..<start]),
      associatedData: Self.magic + Array(code.place.utf8)
    )
    guard let opened else { return nil }
    self.init(parsing: opened.withBytes { $0.array })
  }

  /// Reads the contents of a request.
  package init?(parsing contents: [UInt8]) {
    guard let members = (try? JSON(parsing: contents, maximumBytes: Self.sizeLimit))?.objectValue,
      let key = members.publicKey, let name = members["name"]?.stringValue,
      let version = members["version"]?.stringValue, let at = members.number("at"), !name.isEmpty,
      let formerly = members["formerly"]?.stringValue,
      formerly.isEmpty || members.bytes("formerly", KeyringHeader.idCount) != nil, name.utf8.count <= Writer.nameLimit,
      version.utf8.count <= Writer.nameLimit,
      (name + version).unicodeScalars.allSatisfy({ $0.value > 32 && $0.value != 127 })
    else { return nil }
    self.init(
      publicKey: key,
      name: name,
      version: version,
      at: at,
      formerly: formerly,
      keyPlace: members.keyPlace
    )
    holding = members["holding"]?.stringValue.flatMap(Means.init)
    vouchers = Voucher.list(members["vouchers"])
  }
}
