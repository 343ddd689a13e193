import AcctCrypto
import AcctModel
import StrictJSON
package import Vault
import Text

/// The header as it lies on the engine: JSON, in one form only.
extension KeyringHeader {
  private static let version = VaultHeader.sharedVersion
  private static let start = Array(#"{"format":"acct-vault","version":3,"#.utf8)

  /// `true` for a header of this form, damaged or not.
  static func isOne(_ contents: [UInt8]) -> Bool { contents.starts(with: start) }

  package func serialized() -> [UInt8] {
    var members = self.members
    members["mac"] = .string(hex(mac))
    return JSON.object(members).serialized() + [UInt8(ascii: "\n")]
  }

  /// The bytes that ``mac`` is of.
  var authenticated: [UInt8] { JSON.object(members).serialized() }

  private var members: JSONObject {
    var members: JSONObject = [
      "format": "acct-vault",
      "version": JSON(Self.version),
      "keyring": .string(hex(keyring)),
      "epoch": JSON(epoch),
      "recipients": .array(recipients.map(\.json)),
    ]
    if !removals.isEmpty { members["removed"] = .array(removals.map { .object($0.members) }) }
    if !chain.isEmpty { members["chain"] = .string(hex(chain.flatMap(\.self))) }
    if isChanging { members["changing"] = true }
    members["roster"] = roster.json
    return members
  }

  /// Reads a header.
  ///
  /// A recipient may have several lines, as a member may have written them: the first one that opens counts.
  ///
  /// - Throws: ``Damage`` for anything that ``serialized()`` does not write, and for a header without recipients, or with
  ///   more passphrases than a person would wait for.
  package init(parsing contents: [UInt8]) throws(Damage) {
    let members: JSONObject?
    do { members = try JSON(parsing: contents, maximumBytes: Self.sizeLimit).objectValue } catch {
      throw Damage(reason: "the header is not JSON")
    }
    guard let members, let keyring = members.bytes("keyring", Self.idCount),
      let epoch = members["epoch"]?.numberValue?.integer, (Self.firstEpoch...Self.lastEpoch).contains(epoch),
      let chain = Self.chain(members["chain"], epoch), let roster = SealedBytes(members["roster"]),
      let mac = members.bytes("mac", SHA256.count), let lines = members["recipients"]?.arrayValue,
      (1...Self.recipientLimit).contains(lines.count),
      members["removed"] == nil || members["removed"]?.arrayValue != nil
    else { throw Damage(reason: "the header is incomplete") }
    let removed = members["removed"]?.arrayValue ?? []
    guard lines.allSatisfy({ Recipient.isKnown($0.objectValue?["kind"]?.stringValue) }) else { throw .newer }
    let recipients = lines.compactMap(Recipient.init)
    let removals = removed.compactMap { Line($0.objectValue) }
    let isChanging = members["changing"] != nil
    guard recipients.count == lines.count, removals.count == removed.count, removals.count <= Self.removalLimit,
      !isChanging || !chain.isEmpty
    else { throw Damage(reason: "the header is incomplete") }
    guard recipients.count(where: \.kind.isPassphrase) <= Self.passphraseLimit else {
      throw Damage(reason: "the header has more than \(Self.passphraseLimit) passphrases")
    }
    self.init(
      keyring: keyring,
      epoch: epoch,
      recipients: recipients,
      removals: removals,
      chain: chain,
      isChanging: isChanging,
      roster: roster,
      mac: mac
    )
    guard serialized() == contents else { throw Damage(reason: "the header is not in the form that acct writes") }
  }

  private static func chain(_ json: JSON?, _ epoch: Int64) -> [[UInt8]]? {
    guard let json else { return [] }
    // The first key of all has none before it.
    guard let text = json.stringValue, let all = [UInt8](hex: text, count: text.utf8.count / 2), !all.isEmpty,
      all.count.isMultiple(of: linkCount), all.count <= min(chainLimit, Int(epoch) - 1) * linkCount
    else { return nil }
    return stride(from: 0, to: all.count, by: linkCount).map { Array(all[$0..<($0 + linkCount)]) }
  }
}

extension KeyringHeader.Line {
  fileprivate var members: JSONObject {
    [
      "id": .string(id),
      "encapsulated": .string(hex(message.encapsulated)),
      "ciphertext": .string(hex(message.ciphertext)),
    ]
  }

  fileprivate init?(_ members: JSONObject?) {
    guard let members, let id = members["id"]?.stringValue, [UInt8](hex: id, count: KeyringHeader.idCount) != nil,
      let encapsulated = members.bytes("encapsulated", 65),
      let text = members["ciphertext"]?.stringValue, let ciphertext = [UInt8](hex: text, count: text.utf8.count / 2)
    else { return nil }
    self.init(id: id, message: HPKE.Message(encapsulated: encapsulated, ciphertext: ciphertext))
  }
}

extension KeyringHeader.Recipient {
  fileprivate var json: JSON {
    var members: JSONObject
    switch kind {
    case .passphrase(let kdf, let salt):
      members = [
        "kind": "passphrase", "n": JSON(Int64(kdf.n)), "r": JSON(Int64(kdf.r)), "p": JSON(Int64(kdf.p)),
        "salt": .string(hex(salt)),
      ]
    case .keyFile: members = ["kind": "keyfile"]
    case .machine: members = ["kind": "machine"]
    }
    for (name, value) in line.members { members[name] = value }
    return .object(members)
  }

  /// `false` for the word of a kind that only a later version of acct has.
  fileprivate static func isKnown(_ kind: String?) -> Bool {
    kind == nil || kind == "passphrase" || kind == "keyfile" || kind == "machine"
  }

  fileprivate init?(_ json: JSON) {
    guard let members = json.objectValue, let line = KeyringHeader.Line(members),
      line.message.ciphertext.count == AESGCM.keyCount + AESGCM.tagCount
    else { return nil }
    switch members["kind"]?.stringValue {
    case "passphrase":
      func cost(_ name: String) -> UInt64? { members[name]?.numberValue?.integer.flatMap(UInt64.init(exactly:)) }
      guard let n = cost("n"), let r = cost("r"), let p = cost("p"), let kdf = KDFParameters(n: n, r: r, p: p),
        let salt = members.bytes("salt", VaultHeader.saltCount)
      else { return nil }
      self.init(kind: .passphrase(kdf, salt: salt), line: line)
    case "keyfile": self.init(kind: .keyFile, line: line)
    case "machine": self.init(kind: .machine, line: line)
    default: return nil
    }
  }
}

extension KeyringHeader.SealedBytes {
  fileprivate var json: JSON { ["nonce": .string(hex(nonce)), "ciphertext": .string(hex(ciphertext))] }

  fileprivate init?(_ json: JSON?) {
    guard let members = json?.objectValue, let nonce = members.bytes("nonce", AESGCM.nonceCount),
      let text = members["ciphertext"]?.stringValue, let ciphertext = [UInt8](hex: text, count: text.utf8.count / 2),
      ciphertext.count >= AESGCM.tagCount
    else { return nil }
    self.init(nonce: nonce, ciphertext: ciphertext)
  }
}

extension JSONObject {
  /// The bytes of a member in hexadecimal.
  func bytes(_ name: String, _ count: Int) -> [UInt8]? {
    self[name]?.stringValue.flatMap { [UInt8](hex: $0, count: count) }
  }
}
