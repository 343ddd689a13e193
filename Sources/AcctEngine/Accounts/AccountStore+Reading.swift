package import AcctModel
import AcctPorts
import StrictJSON
import Synchronization

extension AccountStore {
  /// Every account that can be read, by name, and the identifiers of those that can't.
  package func listing() throws(EngineError) -> (accounts: [Account], damaged: [AccountID]) { try listing { $0 } }

  /// The results of `show` for every readable account, by name, and the identifiers of the others.
  ///
  /// - Parameter show: Called where the account is read, on several threads at once if there are many: all cores share
  ///   the work, and only the returned value is kept of the account.
  /// - Returns: The results, and the identifiers.
  /// - Throws: ``FilesError/failed(_:)``.
  func listing<Shown: Sendable>(
    _ show: @Sendable (Account) -> Shown
  ) throws(EngineError) -> (accounts: [Shown], damaged: [AccountID]) {
    let found = Mutex(Found<Shown>())
    try each { files in
      var some = Found<Shown>()
      for (id, contents) in files {
        switch contents {
        case .success(let bytes):
          if let account = account(id, in: bytes) {
            some.accounts.append((account.name, id, show(account)))
          } else {
            some.damaged.append(id)
          }
        // One file that was tampered with must not hide the other accounts.
        case .failure(.unsafe): some.damaged.append(id)
        case .failure(let error): some.failure = error
        }
      }
      found.withLock { $0.take(some) }
      return some.failure == nil
    }
    return try found.withLock { found throws(EngineError) in try found.sorted() }
  }

  /// The results so far, in the order in which the files were read.
  private struct Found<Shown: Sendable>: Sendable {
    var accounts: [(name: AccountName, id: AccountID, shown: Shown)] = []
    var damaged: [AccountID] = []
    var failure: FilesFailure?

    mutating func take(_ more: Found) {
      accounts.append(contentsOf: more.accounts)
      damaged.append(contentsOf: more.damaged)
      failure = failure ?? more.failure
    }

    func sorted() throws(EngineError) -> (accounts: [Shown], damaged: [AccountID]) {
      if let failure { throw .files(.failed(failure)) }
      // A shown value may be large: it is moved once, and only its index is sorted.
      let names = accounts.map(\.name.description)
      let order = names.indices.sorted { left, right in
        // Two accounts have one name only if their files were edited by hand.
        names[left] == names[right]
          ? accounts[left].id.description < accounts[right].id.description
          : names[left] < names[right]
      }
      return (order.map { accounts[$0].shown }, damaged.sorted { $0.description < $1.description })
    }
  }

  /// The account of a name, or `nil` if there is none; reads files until it is found.
  func account(named name: String) throws(EngineError) -> Account? {
    // The name as the file has it; a file without this text need not be parsed.
    let search = ByteSearch(of: JSON.string(name).serialized())
    let found = Mutex<(account: Account?, failure: FilesFailure?)>((nil, nil))
    try each { files in
      for (id, contents) in files {
        switch contents {
        case .success(let bytes):
          guard search.isIn(bytes), let account = account(id, in: bytes), account.name.description == name
          else { continue }
          found.withLock { $0.account = account }
          return false
        // As in a listing.
        case .failure(.unsafe): continue
        case .failure(let error): found.withLock { $0.failure = $0.failure ?? error }
        }
      }
      return true
    }
    let outcome = found.withLock(\.self)
    // The account may be in the file that could not be read.
    if outcome.account == nil, let failure = outcome.failure { throw .files(.failed(failure)) }
    return outcome.account
  }
}

/// A search for the same bytes in many files.
struct ByteSearch {
  private let bytes: [UInt8]

  /// - Parameter bytes: The bytes to look for; at least one.
  init(of bytes: [UInt8]) { self.bytes = bytes }

  /// Returns `true` if the bytes occur in `text`.
  func isIn(_ text: [UInt8]) -> Bool { end(in: text) != nil }

  /// The index after the first occurrence in `text`; `nil` if there is none.
  func end(in text: [UInt8]) -> Int? {
    let sought = bytes.span
    let text = text.span
    var start = 0
    while start + sought.count <= text.count {
      var length = 0
      while length < sought.count, text[start + length] == sought[length] { length += 1 }
      if length == sought.count { return start + length }
      start += 1
    }
    return nil
  }
}
