import AcctModel
import AcctPorts
import SessionBus

/// The result of a search: items that can be used, and items that are locked.
struct Found {
  let unlocked: [String]
  let locked: [String]

  var isEmpty: Bool { unlocked.isEmpty && locked.isEmpty }
}

extension ServiceOperation {
  /// Opens a session and finds an account's items, unlocked; a missing item is empty.
  ///
  /// A locked copy is passed by if an unlocked one takes precedence over it.
  ///
  /// - Returns: the session, and for each kind the items of that kind, which are more than one only
  ///   if several collections have it.
  /// - Throws: `KeyringFailure.locked` if an item is, or may be, behind a lock.
  func locate(
    _ account: AccountID,
    _ kinds: [ItemKind]
  ) throws(KeyringFailure) -> (session: String, items: [(kind: ItemKind, paths: [String])]) {
    try openWhatHides()
    var (session, found) = try search(account, kinds)
    let obstacles = try obstacles(to: found, account, kinds)
    if !obstacles.isEmpty {
      try unlock(obstacles)
      (session, found) = try search(account, kinds)
      let left = try self.obstacles(to: found, account, kinds)
      guard left.isEmpty else { throw try failure(ofLocked: left, else: .dismissed) }
    }
    return (session, zip(kinds, found).map { ($0, $1.unlocked) })
  }

  /// Has the default collection unlocked before it is searched, if its lock hides its items.
  ///
  /// KeePassXC may answer a search only after it has asked for its password: a caller without
  /// prompts would wait until its deadline. GNOME Keyring does not, and is not asked.
  ///
  /// - Throws: `KeyringFailure.locked` if prompts are forbidden, or it stays locked.
  func openWhatHides() throws(KeyringFailure) {
    guard connection.mayAskToSearch, try isDefaultLocked(), let collection = try hidingCollection() else { return }
    try unlock([collection])
    guard try !isLocked(collection) else { throw .dismissed }
  }

  /// Opens a session, if there is none yet, and finds each kind of item, in one round trip.
  func search(_ account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) -> (session: String, found: [Found]) {
    let opening = connection.session == nil ? try connection.begin(ServiceCalls.openSession) : nil
    let searches = kinds.map { kind in ServiceCalls.search(Schema.identity(account, kind)) }
    let found = try connection.ask(searches)
    if let opening { connection.session = try connection.finish(opening) }
    guard let session = connection.session else { throw .malformedAnswer(to: "OpenSession") }
    return (session, found)
  }

  /// `true` if the default collection is locked; an error that only says that there is none is not.
  private func isDefaultLocked() throws(KeyringFailure) -> Bool {
    do { return try connection.ask(ServiceCalls.isDefaultLocked) } catch .failed { return false }
  }

  /// The objects that must be unlocked before a search is complete.
  ///
  /// A locked match counts even beside an unlocked one, unless that takes precedence: it may be the newer of the two.
  func obstacles(
    to found: [Found],
    _ account: AccountID,
    _ kinds: [ItemKind]
  ) throws(KeyringFailure) -> [String] {
    if found.allSatisfy({ $0.locked.isEmpty }) {
      guard found.contains(where: \.isEmpty) else { return [] }
      return try hidingCollection().map { [$0] } ?? []
    }
    var obstacles: [String] = []
    for (kind, found) in zip(kinds, found) where !found.locked.isEmpty {
      let unlocked = try verify(found.unlocked.map { FoundItem(path: $0, kind: kind) }, of: account).own
      if let newest = unlocked.map(\.precedence).max(), try precedence(ofLocked: found.locked) < newest { continue }
      obstacles += found.locked
    }
    return obstacles
  }

  /// The highest place of locked copies, as far as their attributes can be read.
  func precedence(ofLocked paths: [String]) throws(KeyringFailure) -> Precedence {
    var highest = Precedence()
    for path in paths {
      do { highest = max(highest, Precedence(of: try connection.ask(ServiceCalls.attributes(path)))) } catch .failed {}
    }
    return highest
  }

  /// The default collection, if its lock hides its items.
  ///
  /// GNOME Keyring finds locked items as well. KeePassXC shows none at all, and there "nothing found"
  /// must not become "not there".
  ///
  /// - Throws: `KeyringFailure.locked` if there is no default collection to look into.
  func hidingCollection() throws(KeyringFailure) -> String? {
    guard let collection = try defaultCollection() else { throw .noDefaultCollection }
    guard try isLocked(collection) else { return nil }
    return try connection.ask(ServiceCalls.items(collection)).isEmpty ? collection : nil
  }
}

/// An item that a search found, and its presumed kind until its attributes have been seen.
struct FoundItem {
  let path: String
  let kind: ItemKind
  /// Its place among copies, once its attributes have been seen.
  var precedence = Precedence()
}

/// The result of a search is compared with the searched attributes, before it is used.
extension ServiceOperation {
  /// Asks for the attributes of items, in the round trip of the next answer that is waited for.
  func beginVerifying(_ items: [FoundItem]) throws(KeyringFailure) -> [Connection.Pending<Attributes>] {
    try items.map { item throws(KeyringFailure) in try connection.begin(ServiceCalls.attributes(item.path)) }
  }

  /// Separates acct's own items, which have the attributes that were searched for, from others.
  ///
  /// Another program's item that has the same attributes and another schema is left out, and so is an
  /// item that has been removed since the search.
  ///
  /// - Returns: The items, and those whose attributes could not be read: they have been removed, or the
  ///   provider failed.
  /// - Throws: `KeyringFailure.failed` where the provider found an item that was not searched for: then its other
  ///   answers can't be relied on either, and nothing may be read, overwritten or deleted.
  func finishVerifying(
    _ items: [FoundItem],
    of account: AccountID,
    _ pending: [Connection.Pending<Attributes>]
  ) throws(KeyringFailure) -> (own: [FoundItem], unseen: [FoundItem]) {
    var answers: [Attributes?] = []
    for call in pending {
      do { answers.append(try connection.finish(call)) } catch .failed { answers.append(nil) }
    }
    var own: [FoundItem] = []
    for (item, attributes) in zip(items, answers) {
      guard let attributes else { continue }
      guard Schema.names(attributes, account, item.kind) else { throw .malformedAnswer(to: "SearchItems") }
      guard Schema.isOwn(attributes) else { continue }
      own.append(FoundItem(path: item.path, kind: item.kind, precedence: Precedence(of: attributes)))
    }
    return (own, zip(items, answers).filter { $0.1 == nil }.map(\.0))
  }

  /// Verifies items that nothing else is asked about, in a round trip of its own.
  func verify(
    _ items: [FoundItem],
    of account: AccountID
  ) throws(KeyringFailure) -> (own: [FoundItem], unseen: [FoundItem]) {
    guard !items.isEmpty else { return ([], []) }
    return try finishVerifying(items, of: account, try beginVerifying(items))
  }
}
