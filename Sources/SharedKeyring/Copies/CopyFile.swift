import AcctPorts
import FleetPorts
import StrictJSON

/// The file of this machine's copy of an object: its version, its generation, and its bytes as the engine has them.
package struct CopyFile: Equatable, Sendable {
  package var version: Int64
  /// As it is sealed in the object; 0 if that has none.
  package var generation: Int64
  package var bytes: [UInt8]

  private static let magic = Array("acct-copy".utf8)
  /// Of a copy without a generation, as earlier versions of acct have made them.
  private static let bareFormat: UInt8 = 1
  private static let format: UInt8 = 2

  package init(version: Int64, generation: Int64, bytes: [UInt8]) {
    self.version = version
    self.generation = generation
    self.bytes = bytes
  }

  init(_ object: SharedStore.Object, generation: Int64) {
    self.init(version: object.version, generation: generation, bytes: object.bytes)
  }

  /// The object that it is a copy of.
  func object(at key: String) -> SharedStore.Object { SharedStore.Object(key: key, bytes: bytes, version: version) }

  /// `true` if another object is no later than this one.
  func isAsNew(as other: CopyFile) -> Bool { version >= other.version || generation > other.generation }

  /// The file's contents.
  package func serialized() -> [UInt8] {
    var contents = Self.magic + [Self.format]
    contents.append(bigEndian: version)
    contents.append(bigEndian: generation)
    return contents + bytes
  }

  /// Reads the file's contents; `nil` if they are no copy, as after a loss of power: the engine has it.
  package init?(parsing contents: [UInt8]) {
    guard contents.starts(with: Self.magic), contents.count > Self.magic.count else { return nil }
    let numbers = Self.magic.count + 1
    switch contents[Self.magic.count] {
    case Self.bareFormat:
      guard contents.count > numbers + 8, let version = Self.number(contents, at: numbers), version > 0
      else { return nil }
      self.init(version: version, generation: 0, bytes: Array(contents[(numbers + 8)...]))
    case Self.format:
      guard contents.count > numbers + 16, let version = Self.number(contents, at: numbers),
        version > 0, let generation = Self.number(contents, at: numbers + 8)
      else { return nil }
      self.init(version: version, generation: generation, bytes: Array(contents[(numbers + 16)...]))
    default: return nil
    }
  }

  /// A number of up to 2^62.
  private static func number(_ contents: [UInt8], at offset: Int) -> Int64? {
    let number = contents.span.extracting(offset..<(offset + 8)).bigEndian64
    guard number <= UInt64(SharedObject.lastGeneration) else { return nil }
    return Int64(number)
  }
}

/// The file of a write that is still to be made, with an answer of a server in it: both objects as they are sealed.
package struct PendingFile: Equatable, Sendable {
  /// The process that wanted to write.
  package var writer: LockOwner
  /// The copy that the write was made from, with the version that it had.
  package var base: CopyFile
  /// `true` if the items of ``bytes`` are all that the account has then.
  package var replacing: Bool
  /// The object to write, sealed.
  package var bytes: [UInt8]
  /// The credentials of answers that waited before this one came, each sealed; the oldest first.
  package var earlier: [[UInt8]]

  private static let start = Array("acct-pending".utf8)
  private static let magic = start + [1]
  /// Each is some 4 KiB at most, and two objects have to go into the file beside them.
  static let earlierLimit = 8

  package init(writer: LockOwner, base: CopyFile, replacing: Bool, bytes: [UInt8], earlier: [[UInt8]] = []) {
    self.writer = writer
    self.base = base
    self.replacing = replacing
    self.bytes = bytes
    self.earlier = earlier
  }

  /// The file's contents.
  package func serialized() -> [UInt8] {
    var members: JSONObject = ["writer": writer.json, "replacing": .bool(replacing)]
    if !earlier.isEmpty { members["earlier"] = JSON(Int64(earlier.count)) }
    let head = JSON.object(members).serialized()
    let base = base.serialized()
    var contents = Self.magic
    for part in [head, base] + earlier {
      contents.append(bigEndian: UInt32(truncatingIfNeeded: part.count))
      contents += part
    }
    return contents + bytes
  }

  /// Reads the file's contents; `nil` for anything else.
  package init?(parsing contents: [UInt8]) {
    guard contents.starts(with: Self.magic) else { return nil }
    var rest = contents[Self.magic.count...]
    guard let head = Self.part(&rest), let base = Self.part(&rest), !rest.isEmpty,
      let json = try? JSON(parsing: head, maximumBytes: 4096), let members = json.objectValue,
      let writer = LockOwner(members["writer"]), let replacing = members["replacing"]?.boolValue,
      let base = CopyFile(parsing: base)
    else { return nil }
    let count = members["earlier"] == nil ? 0 : members["earlier"]?.numberValue?.integer
    guard let count, (0...Int64(Self.earlierLimit)).contains(count) else { return nil }
    var earlier: [[UInt8]] = []
    for _ in 0..<count {
      guard let part = Self.part(&rest) else { return nil }
      earlier.append(part)
    }
    guard !rest.isEmpty else { return nil }
    self.init(writer: writer, base: base, replacing: replacing, bytes: Array(rest), earlier: earlier)
  }

  /// `true` for a file of a later version of acct.
  static func isNewer(_ contents: [UInt8]) -> Bool {
    contents.starts(with: start) && contents.dropFirst(start.count).first.map { $0 > 1 } ?? false
  }

  private static func part(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.count >= 4 else { return nil }
    let count = Int(Array(rest.prefix(4)).span.bigEndian32)
    rest = rest.dropFirst(4)
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
