import AcctCrypto
import StrictJSON
import Text

/// A machine's signed word about a means of opening a keyring.
///
/// Every member can write the header's sealed list, and so what the list says of its entries. Only the holder of a
/// machine's key can sign for that machine.
package struct Voucher: Equatable, Sendable {
  package var act: Act
  /// The identifier of the machine's key.
  package var machine: String
  /// Seconds since 1970.
  package var at: Int64
  /// ECDSA with SHA-256, r and s.
  package var signature: [UInt8]

  package enum Act: String, Sendable {
    /// The machine added the means.
    case added
    /// The means stayed through a change of the key, because a person named it on the machine.
    case kept
    /// The machine has the means.
    case holds
  }

  /// The most for one means; the latest stay.
  static let limit = 8
  static let signatureCount = 64

  /// The signed bytes: the act, the keyring, the means and the time, and a machine's name in the list.
  ///
  /// A machine that says that it holds a key does not know its name yet.
  package static func message(_ act: Act, _ keyring: [UInt8], means: String, name: String, at: Int64) -> [UInt8] {
    let name = act == .holds ? "" : name
    return Array("acct keyring 3 voucher \(act.rawValue) \(hex(keyring)) \(means) \(at) \(name)".utf8)
  }

  package init(act: Act, machine: String, at: Int64, signature: [UInt8]) {
    self.act = act
    self.machine = machine
    self.at = at
    self.signature = signature
  }
}

extension Voucher {
  var json: JSON { .array([.string(act.rawValue), .string(machine), JSON(at), .string(hex(signature))]) }

  init?(_ json: JSON) {
    guard let parts = json.arrayValue, parts.count == 4, let act = parts[0].stringValue.flatMap(Act.init),
      let machine = parts[1].stringValue, let at = parts[2].numberValue?.integer,
      let signature = parts[3].stringValue.flatMap({ [UInt8](hex: $0, count: Self.signatureCount) })
    else { return nil }
    self.init(act: act, machine: machine, at: at, signature: signature)
  }

  /// Reads a list; what is no voucher vouches for nothing.
  static func list(_ json: JSON?) -> [Voucher] { (json?.arrayValue ?? []).suffix(limit).compactMap(Voucher.init) }
}

/// An entry of the header's list that machines can vouch for.
protocol Vouched {
  var id: String { get }
  /// A machine's name; empty for a passphrase or a key file.
  var signedName: String { get }
  var vouchers: [Voucher] { get set }
}

extension Roster.Shared: Vouched { var signedName: String { "" } }
extension Roster.Member: Vouched { var signedName: String { name } }

extension Vouched {
  /// `true` if a machine with this key has made a voucher.
  func isVouched(_ voucher: Voucher, by key: P256PublicKey, in keyring: [UInt8]) -> Bool {
    let message = Voucher.message(voucher.act, keyring, means: id, name: signedName, at: voucher.at)
    return key.isValidSignature(voucher.signature, of: message.span)
  }

  /// Adds a voucher, in place of the machine's earlier one of that kind.
  mutating func add(_ voucher: Voucher) {
    vouchers.removeAll { $0.act == voucher.act && $0.machine == voucher.machine }
    vouchers = (vouchers + [voucher]).suffix(Voucher.limit)
  }
}

extension Roster.Member {
  /// `true` if the machine itself has signed the entry.
  func isOwn(in keyring: [UInt8]) -> Bool {
    vouchers.contains { $0.machine == id && isVouched($0, by: publicKey, in: keyring) }
  }
}

extension Roster {
  /// The vouchers of an entry that hold: each by a machine of this list, with its key.
  func valid(_ entry: some Vouched, in keyring: [UInt8]) -> [Voucher] {
    entry.vouchers.filter { voucher in
      guard let machine = machines.first(where: { $0.id == voucher.machine }) else { return false }
      return entry.isVouched(voucher, by: machine.publicKey, in: keyring)
    }
  }
}
