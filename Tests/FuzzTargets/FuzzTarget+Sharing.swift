import AcctEngine
import AcctFleet
import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import FleetPorts
import SharedKeyring
import Vault

/// What an account's object says once it is decrypted, and what an engine may hand out in its place.
func sharedObjectViolation(_ bytes: [UInt8]) -> String? {
  let key = Secret([UInt8](repeating: 7, count: 32))
  let entropy = Entropy { count in [UInt8](repeating: 9, count: count) }
  // Without the key an object that opens can't be made.
  guard
    (try? Seal(key: key, entropy: entropy, check: { _ in nil }).open(bytes, at: "/acct/main/a/x")) == nil
  else { return "an object that was never sealed" }
  guard let object = try? SharedObject(parsing: Secret(bytes)) else { return nil }
  guard object.serialized() == Secret(bytes) || object.lock != nil else { return "an object with more than one form" }
  return (try? SharedObject(parsing: object.serialized())) == object
    ? nil : "an object that reads otherwise when written"
}

/// A record and items as another machine may have written them: the record, and behind each zero byte an item, whose first
/// byte is its kind.
func sharedRecordViolation(_ bytes: [UInt8]) -> String? {
  let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
  let record = Array(parts[0])
  var items: [ItemKind: Secret] = [:]
  for part in parts.dropFirst() {
    guard let first = part.first else { continue }
    let kind = ItemKind.allCases[Int(first) % ItemKind.allCases.count]
    items[kind] = Secret(Array(part.dropFirst()))
  }
  // An object is at its account's place and has its name, unless it was planted.
  let claimed = AccountFile.decode(record)
  let id = claimed?.id ?? AccountID(random: InlineArray(repeating: 7))
  let contents = SharedContents(id: id, name: claimed?.name, record: record, items: items)
  let account: Account?
  do { account = try SharedRecord(parsing: contents)?.account } catch {
    return SharedRecord.check(contents) == error ? nil : "damage that depends on who asks"
  }
  if let key = items[.keypair], (try? StoredDPoPKey(key)).map({ $0.isInDevice }) ?? false { return "a key in a device" }
  guard let account else { return record.isEmpty ? nil : "a record that is passed over" }
  let firstOfKey = items[.certificateKey].map { $0.withBytes { bytes in bytes.count > 0 ? bytes[0] : 0 } }
  guard account.client.certificate?.files == nil, firstOfKey == nil || firstOfKey == UInt8(ascii: "-")
  else { return "a certificate of one machine" }
  guard account.keptIn == nil, account.incoming == nil, account.deviceStorage == nil,
    account.kind != .guest, account.id == contents.id, account.name == contents.name
  else { return "a record that speaks of one machine, or of another account" }
  var elsewhere = contents
  elsewhere.id = AccountID(random: InlineArray(repeating: 8))
  return SharedRecord.check(elsewhere) == nil && id != elsewhere.id
    ? "a record that is taken at any place" : nil
}

extension StoredDPoPKey {
  fileprivate var isInDevice: Bool { if case .hardware = self { true } else { false } }
}

/// The files of a shared keyring on this machine, and its header on the engine.
func sharedFilesViolation(_ bytes: [UInt8]) -> String? {
  if let settings = SettingsFile.parse(bytes), SettingsFile.parse(SettingsFile.serialized(settings)) != settings {
    return "settings that read otherwise when written"
  }
  if let known = KnownKeyring(parsing: bytes), KnownKeyring(parsing: known.serialized()) != known {
    return "a standing that reads otherwise when written"
  }
  if let copy = CopyFile(parsing: bytes), CopyFile(parsing: copy.serialized()) != copy {
    return "a copy that is another one when written"
  }
  if let pending = PendingFile(parsing: bytes), PendingFile(parsing: pending.serialized()) != pending {
    return "a pending answer that reads otherwise when written"
  }
  if let header = try? AnyVaultHeader(parsing: bytes), (try? AnyVaultHeader(parsing: header.serialized())) != header {
    return "a header that reads otherwise when written"
  }
  return nil
}

/// The header of a keyring whose key changes: what is read has one form, and a recipient once.
func keyringHeaderViolation(_ bytes: [UInt8]) -> String? {
  guard let header = try? KeyringHeader(parsing: bytes) else { return nil }
  guard header.serialized() == bytes else { return "a header with more than one form" }
  guard (try? KeyringHeader(parsing: header.serialized())) == header else {
    return "a header that reads otherwise when written"
  }
  return header.epoch >= KeyringHeader.firstEpoch ? nil : "an epoch before the first"
}

/// The request of a machine that wants to join, decrypted, and the code that a person types.
func joinRequestViolation(_ bytes: [UInt8]) -> String? {
  if let code = JoinCode(String(decoding: bytes, as: UTF8.self)), JoinCode(code.text) != code {
    return "a code that reads otherwise when written"
  }
  guard let request = JoinRequest(parsing: bytes) else { return nil }
  return request.name.isEmpty ? "a machine without a name" : nil
}
