package import AcctModel
package import Secrets
import AcctPorts
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

  /// What the trace of a removal says of the account; `nil` for any other object, and for a trace that says nothing.
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
