package import AcctModel
package import AcctPorts
package import Secrets
import StrictJSON

/// All that a shared keyring keeps of an account, in one object.
package struct SharedObject: Equatable, Sendable {
  /// `nil` for items without an account, as the vault can have.
  package var name: AccountName?
  /// The contents of the account's file.
  package var record: [UInt8]
  /// By ``ItemKind/rawValue``: kinds that this version of acct does not know stay as they are.
  package var items: [String: Secret]
  /// The renewal that another process may be making.
  package var lock: RenewalLock?
  /// The count of writes of this account's object; 0 for one that a version of acct without such a count wrote.
  package var generation: Int64
  /// `true` for the trace that a removal leaves: an older object can't be put back unnoticed.
  package var isRemoved: Bool

  /// The removed account's name and last events; `nil` for any other object, and for a trace without them.
  package var removal: Removal?

  /// The machines that have written it, as ``Writer`` has them; empty in a keyring of the former form.
  var writers: [UInt8] = []

  package init(
    name: AccountName? = nil,
    record: [UInt8] = [],
    items: [String: Secret] = [:],
    lock: RenewalLock? = nil,
    generation: Int64 = 0,
    isRemoved: Bool = false
  ) {
    self.name = name
    self.record = record
    self.items = items
    self.lock = lock
    self.generation = generation
    self.isRemoved = isRemoved
  }

  /// The credential that a renewal spends: the refresh token, or the sealed session.
  struct Credential: Equatable, Sendable {
    var refreshToken: Secret?
    var session: Secret?
  }

  /// The items that a renewal would spend.
  var credentialItems: [String: Secret] {
    items.filter { [ItemKind.refreshToken.rawValue, ItemKind.session.rawValue].contains($0.key) }
  }

  /// The credential that a renewal would spend; `nil` for an account that is not renewed.
  var credential: Credential? {
    let refreshToken = items[ItemKind.refreshToken.rawValue]
    let session = items[ItemKind.session.rawValue]
    return refreshToken == nil && session == nil
      ? nil : Credential(refreshToken: refreshToken, session: session)
  }

  /// The trace that the removal of an account leaves.
  static func removed(_ removal: Removal? = nil, generation: Int64) -> SharedObject {
    var trace = SharedObject(generation: generation, isRemoved: true)
    trace.removal = removal
    return trace
  }

  /// The object as it is written over one of a generation.
  func written(over generation: Int64) -> SharedObject {
    var next = self
    next.generation = min(generation, Self.lastGeneration - 1) + 1
    return next
  }

  /// `true` if both hold the same of an account, with any generations and writers.
  func holdsSame(as other: SharedObject) -> Bool {
    var mine = self
    mine.generation = other.generation
    mine.writers = other.writers
    return mine == other
  }

  /// `false` for items without an account, as the vault can have them.
  var isAccount: Bool { name != nil && !record.isEmpty }

  /// `true` if nothing of an account is left in it.
  var isEmpty: Bool { name == nil && record.isEmpty && items.isEmpty }
}

extension SharedObject {
  /// The object with a change made to its items.
  func changed(by change: SharedAccount.Items) -> [String: Secret] {
    var changed = items
    switch change {
    case .unchanged: break
    case .merging(let new): for item in new { changed[item.kind.rawValue] = item.secret }
    case .replacing(let new):
      changed = [:]
      for item in new { changed[item.kind.rawValue] = item.secret }
    }
    return changed
  }

  /// Makes a change in the object that another machine has stored in the meantime.
  ///
  /// - Parameters:
  ///   - base: The object that the change was made from.
  ///   - mine: The object with the change.
  ///   - theirs: The object that the other machine has stored.
  ///   - replacing: `true` if the items of `mine` are all that the account has then.
  /// - Returns: Both changes together.
  static func merged(base: SharedObject, mine: SharedObject, theirs: SharedObject, replacing: Bool) -> SharedObject {
    var merged = theirs
    if mine.name != base.name { merged.name = mine.name }
    merged.record = record(base: base.record, mine: mine.record, theirs: theirs.record)
    if replacing {
      merged.items = mine.items
    } else {
      for kind in Set(base.items.keys).union(mine.items.keys)
      where base.items[kind] != mine.items[kind] { merged.items[kind] = mine.items[kind] }
    }
    return merged
  }

  private static func record(base: [UInt8], mine: [UInt8], theirs: [UInt8]) -> [UInt8] {
    guard mine != theirs, mine != base else { return theirs }
    guard base != theirs, let baseMembers = members(base), let myMembers = members(mine),
      let theirMembers = members(theirs)
    else { return mine }
    let merged = RecordMerge.members(base: baseMembers, mine: myMembers, theirs: theirMembers)
    return merged == theirMembers ? theirs : JSON.object(merged).serialized()
  }

  private static func members(_ record: [UInt8]) -> JSONObject? {
    do { return try JSON(parsing: record).objectValue } catch { return nil }
  }
}

/// The plaintext of an object: fields in the order of their tags, each with its tag, its length and its bytes.
///
/// Binary, since the items are bytes of any kind, and since no text of a secret is left behind by writing it.
extension SharedObject {
  private enum Tag: UInt8 { case name = 1, record, lock, item, generation, removed, writers, removal }

  private static let generationCount = 16
  /// The highest generation: as far from overflow as the versions of an engine.
  package static let lastGeneration: Int64 = 1 << 62

  private static let headCount = 5

  /// Writes the fields.
  ///
  /// - Parameter epoch: The number of the key that seals it; 1 for the only key of a keyring of the former form.
  /// - Returns: The plaintext.
  package func serialized(epoch: Int64 = 1) -> Secret {
    let lock = lock.map { $0.json.serialized() }
    let name = name.map { Array($0.description.utf8) }
    let removal = epoch > 1 ? removal?.bytes : nil
    // Reserved in full, so that no half-grown copy is left behind unwiped.
    var count = 7 * Self.headCount + writers.count + Self.generationCount
    count += record.count + (lock?.count ?? 0) + (name?.count ?? 0) + (removal?.count ?? 0)
    for (kind, secret) in items { count += Self.headCount + 1 + kind.utf8.count + secret.count }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    func begin(_ tag: Tag, _ count: Int) {
      bytes.append(tag.rawValue)
      bytes.append(bigEndian: UInt32(truncatingIfNeeded: count))
    }
    if let name {
      begin(.name, name.count)
      bytes.append(contentsOf: name)
    }
    if !isRemoved {
      begin(.record, record.count)
      bytes.append(contentsOf: record)
    }
    if let lock {
      begin(.lock, lock.count)
      bytes.append(contentsOf: lock)
    }
    for kind in items.keys.sorted(by: Self.isBefore) {
      guard let secret = items[kind] else { continue }
      begin(.item, 1 + kind.utf8.count + secret.count)
      bytes.append(UInt8(truncatingIfNeeded: kind.utf8.count))
      bytes.append(contentsOf: kind.utf8)
      secret.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
    }
    if generation > 0 {
      begin(.generation, Self.generationCount)
      bytes.append(bigEndian: epoch)
      bytes.append(bigEndian: generation)
    }
    if isRemoved { begin(.removed, 0) }
    if epoch > 1, !writers.isEmpty {
      begin(.writers, writers.count)
      bytes.append(contentsOf: writers)
    }
    if let removal {
      begin(.removal, removal.count)
      bytes.append(contentsOf: removal)
    }
    return Secret(consuming: &bytes)
  }

  /// Reads the fields, in the form of ``serialized()`` alone.
  package init(parsing plaintext: Secret, epoch: Int64 = 1) throws(SharedDamage) {
    self = try plaintext.withBytes { bytes throws(SharedDamage) in try Self.read(bytes, epoch) }
  }

  private static func read(_ bytes: Span<UInt8>, _ epoch: Int64) throws(SharedDamage) -> SharedObject {
    var object = SharedObject()
    var (last, lastKind) = (UInt8(0), "")
    var hasRecord = false
    var offset = 0
    while offset < bytes.count {
      guard bytes.count - offset >= headCount else { throw incomplete }
      let count = Int(bytes.extracting((offset + 1)..<(offset + headCount)).bigEndian32)
      let start = offset + headCount
      guard bytes.count - start >= count else { throw incomplete }
      let field = bytes.extracting(start..<(start + count))
      guard let tag = Tag(rawValue: bytes[offset]) else { throw unknown }
      guard tag.rawValue > last || (tag == .item && last == tag.rawValue) else { throw disordered }
      last = tag.rawValue
      switch tag {
      case .name:
        guard let text = text(of: field), let name = try? AccountName(text) else { throw disordered }
        object.name = name
      case .record:
        object.record = field.array
        hasRecord = true
      case .lock:
        guard let json = try? JSON(parsing: field, maximumBytes: 4096), let lock = RenewalLock(json)
        else { throw disordered }
        object.lock = lock
      case .item:
        guard !field.isEmpty, field.count > Int(field[0]), field[0] > 0,
          let kind = text(of: field.extracting(1..<(1 + Int(field[0])))), isBefore(lastKind, kind)
        else { throw disordered }
        object.items[kind] = Secret(field.extracting((1 + Int(field[0]))..<field.count))
        lastKind = kind
      case .generation:
        guard field.count == generationCount else { throw disordered }
        guard field.extracting(0..<8).bigEndian64 == UInt64(epoch) else { throw unknown }
        let number = field.extracting(8..<generationCount).bigEndian64
        guard let generation = Int64(exactly: number), (1...lastGeneration).contains(generation)
        else { throw disordered }
        object.generation = generation
      case .removed:
        guard field.isEmpty, object.generation > 0 else { throw disordered }
        object.isRemoved = true
      case .writers:
        guard epoch > 1 else { throw unknown }
        guard !field.isEmpty else { throw disordered }
        object.writers = field.array
      case .removal:
        guard epoch > 1 else { throw unknown }
        guard object.isRemoved, let removal = Removal(field.array) else { throw disordered }
        object.removal = removal
      }
      offset = start + count
    }
    guard object.isRemoved else {
      guard hasRecord else { throw incomplete }
      return object
    }
    // A trace holds nothing of the account that a renewal or a request could use.
    let bare = SharedObject.removed(object.removal, generation: object.generation)
    guard object.holdsSame(as: bare), !hasRecord else { throw disordered }
    return object
  }

  /// Byte by byte: a canonical order, in which no kind is twice.
  private static func isBefore(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  private static func text(of bytes: Span<UInt8>) -> String? { String(validating: bytes.array, as: UTF8.self) }

  private static let incomplete = SharedDamage.notAnObject
  private static let disordered = SharedDamage.malformed
  private static let unknown = SharedDamage.unknownVersion
}

/// The name and the last events of a removed account, as its trace keeps them, for people to read.
///
/// No decision depends on it. A keyring of the former form has none, since earlier versions of acct know no such trace.
package struct Removal: Equatable, Sendable {
  package var name: AccountName
  /// The removal is the last of the events.
  package var history: AccountHistory

  /// The most events, that of the removal included: traces stay for ever.
  static let eventLimit = 10
  private static let sizeLimit = 1 << 16

  package init(name: AccountName, history: AccountHistory) {
    self.name = name
    self.history = history
  }

  /// Describes the removal of an account; `nil` for items without an account.
  init?(of object: SharedObject, _ event: AccountEvent) {
    guard let name = object.name else { return nil }
    // A record or a history that does not parse is no reason to keep an account.
    let record = (try? JSON(parsing: object.record))?.objectValue
    let events = AccountHistory(record?["history"]?.stringValue ?? "").events ?? []
    self.init(name: name, history: AccountHistory(events.suffix(Self.eventLimit - 1) + [event]))
    // A trace that can't be read would be a damaged one.
    guard Removal(bytes) == self else { return nil }
  }

  /// The bytes of its field in a trace.
  var bytes: [UInt8] { JSON.array([.string(name.description), .string(history.text)]).serialized() }

  /// Reads the field; `nil` for anything that ``bytes`` does not write.
  init?(_ bytes: [UInt8]) {
    guard let parts = (try? JSON(parsing: bytes, maximumBytes: Self.sizeLimit))?.arrayValue, parts.count == 2,
      let name = parts[0].stringValue.flatMap({ try? AccountName($0) }), let text = parts[1].stringValue,
      let events = AccountHistory(text).events, events.count <= Self.eventLimit
    else { return nil }
    self.init(name: name, history: AccountHistory(text))
    guard self.bytes == bytes else { return nil }
  }
}
