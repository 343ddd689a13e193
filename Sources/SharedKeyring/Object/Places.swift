import AcctModel

/// The keys of a keyring's objects on the engine.
struct Places: Sendable {
  /// The keyring's name.
  let name: String

  private var root: String { "/acct/\(name)/" }

  /// The vault's header.
  var header: String { "\(root)header" }
  /// The prefix of the keys of all accounts.
  var accounts: String { "\(root)a/" }

  func account(_ id: AccountID) -> String { "\(accounts)\(id)" }

  /// The object that keeps a name unique.
  func name(_ digest: String) -> String { "\(root)n/\(digest)" }

  /// The prefix of the keys of all names.
  var names: String { "\(root)n/" }

  /// How many of these keys are accounts'; a stray one is none.
  func accountCount(in keys: Set<String>) -> Int { keys.count { account(at: $0) != nil } }

  /// `true` for the key of a name's object.
  func isName(_ key: String) -> Bool { key.hasPrefix(names) }

  /// The request of a machine that wants to join.
  func request(_ id: String) -> String { "\(root)j/\(id)" }

  /// The account of a key, if it is one's.
  func account(at key: String) -> AccountID? {
    guard key.hasPrefix(accounts), let id = try? AccountID(String(key.dropFirst(accounts.count))), account(id) == key
    else { return nil }
    return id
  }
}

extension [UInt8] {
  /// Appends a number, its most significant byte first.
  mutating func append(bigEndian number: some FixedWidthInteger) {
    for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension Span<UInt8> {
  /// A copy of the bytes, which are no secret.
  var array: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in indices { bytes.append(self[index]) }
    return bytes
  }

  /// The number of up to four bytes, the most significant one first.
  var bigEndian32: UInt32 { indices.reduce(0) { $0 << 8 | UInt32(self[$1]) } }

  /// The number of up to eight bytes, the most significant one first.
  var bigEndian64: UInt64 { indices.reduce(0) { $0 << 8 | UInt64(self[$1]) } }
}
