import AcctModel
package import Secrets
package import AcctPorts
import StrictJSON

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
