import AcctModel
import AcctPorts
import Secrets
import SessionBus

/// One operation's calls to the provider: here, those that several operations share.
final class ServiceOperation {
  let connection: Connection
  /// Performs prompts; `nil` if prompts are allowed but not available yet.
  let prompter: (any Prompter)?
  /// `true` if prompts are shown to a person: then only a further look tells whether they were answered.
  let isAsking: Bool
  /// `true` if the operation ended where a person would have had to be asked.
  private(set) var lacksPerson = false

  /// Begins an operation.
  ///
  /// - Throws: `KeyringFailure` if there is no provider.
  init(over channel: any Channel, prompter: (any Prompter)?, isAsking: Bool) throws(KeyringFailure) {
    connection = Connection(over: channel)
    self.prompter = prompter
    self.isAsking = isAsking
    try connection.introduce()
  }

  /// The default collection, if there is one.
  func defaultCollection() throws(KeyringFailure) -> String? { try connection.ask(ServiceCalls.defaultCollection) }

  /// `true` if a collection is locked.
  func isLocked(_ collection: String) throws(KeyringFailure) -> Bool {
    try connection.ask(ServiceCalls.isLocked(collection))
  }

  /// Has items or collections unlocked, by a person if they have a password; a further search tells whether they were.
  ///
  /// - Throws: `KeyringFailure.locked` if prompts are forbidden.
  func unlock(_ objects: [String]) throws(KeyringFailure) {
    let outcome = try connection.ask(ServiceCalls.unlock(objects))
    if isAsking {
      _ = try settle(outcome)
    } else if let prompt = outcome.prompt {
      try connection.ask(ServiceCalls.dismiss(prompt))
      throw lacking(try failure(ofLocked: objects, else: .locked()))
    }
  }

  /// Returns `true` if a collection is locked by a password; one without is unlocked by the call.
  func isLockedByPassword(_ collection: String) throws(KeyringFailure) -> Bool {
    guard try isLocked(collection) else { return false }
    let outcome = try connection.ask(ServiceCalls.unlock([collection]))
    if let prompt = outcome.prompt { try connection.ask(ServiceCalls.dismiss(prompt)) }
    return try isLocked(collection)
  }

  /// The failure of locked items: with the name of their collection if it is not the default one.
  ///
  /// - Parameters:
  ///   - objects: Items, or the default collection.
  ///   - other: The failure in the default collection.
  /// - Returns: The failure.
  /// - Throws: `KeyringFailure` if the provider does not say.
  func failure(ofLocked objects: [String], else other: KeyringFailure) throws(KeyringFailure) -> KeyringFailure {
    let collection = try defaultCollection()
    guard let object = objects.first(where: { !isInside($0, collection) }) else { return other }
    return .lockedPart(try connection.ask(ServiceCalls.label(Self.collection(of: object))))
  }

  /// `true` if an object is a collection, or an item in it.
  func isInside(_ object: String, _ collection: String?) -> Bool {
    guard let collection else { return false }
    return object == collection || object.hasPrefix(collection + "/")
  }

  /// The collection of an item, whose path begins with that of the collection.
  static func collection(of item: String) -> String {
    item.lastIndex(of: "/").map { String(item[..<$0]) } ?? item
  }

  /// Locks the default collection.
  func lock() throws(KeyringFailure) {
    guard let collection = try defaultCollection() else { throw .noDefaultCollection }
    _ = try settle(try connection.ask(ServiceCalls.lock([collection])))
    guard try isLocked(collection) else { throw .failed(reason: "it stays unlocked") }
  }

  /// Has the default collection created by a person.
  ///
  /// - Throws: `KeyringFailure.locked` if prompts are forbidden.
  func createDefaultCollection() throws(KeyringFailure) {
    guard isAsking else { throw lacking(.noDefaultCollection) }
    _ = try settle(try connection.ask(ServiceCalls.createDefaultCollection(label: "Default keyring")))
  }

  /// Performs the prompt that an answer may need, and returns the object that was made, if one was.
  ///
  /// - Throws: `KeyringFailure.locked` if it asks and prompts are forbidden; it is withdrawn.
  func settle(_ outcome: Outcome) throws(KeyringFailure) -> String? {
    guard let prompt = outcome.prompt else { return outcome.object }
    guard let prompter else {
      try connection.ask(ServiceCalls.dismiss(prompt))
      throw lacking(.wantsPerson)
    }
    return try prompter.perform(prompt: prompt, of: connection.provider)
  }

  /// Notes that a person would have to be asked.
  func lacking(_ failure: KeyringFailure) -> KeyringFailure {
    lacksPerson = true
    return failure
  }
}

extension KeyringFailure {
  /// The person dismissed the prompt to unlock it.
  static let dismissed = KeyringFailure.locked(reason: "the request to unlock it was dismissed")

  /// It prompts before it carries out the call.
  static let wantsPerson = KeyringFailure.locked(reason: "the keyring has to prompt its user first")

  /// Nothing was ever stored on this desktop, or its keyring is not open.
  static let noDefaultCollection = KeyringFailure.locked(
    reason: "it has no default collection; to create one, it has to prompt its user for a password"
  )

  /// The failure where no prompt can be shown: `acct keyring unlock` would end with it, too.
  var withoutDesktop: KeyringFailure {
    guard case .locked(let reason, openedBy: .any) = self else { return self }
    return .locked(reason: reason, openedBy: self == .noDefaultCollection ? .otherKeyring : .desktop)
  }

  /// Items are in a collection that is locked, and is not the default one.
  static func lockedPart(_ name: String) -> KeyringFailure {
    .locked(reason: "the items are in its collection \(name), which is not the default one", openedBy: .part(name))
  }
}

extension ServiceOperation {
  /// Lists the accounts that have items, while locked too if the provider shows their attributes.
  ///
  /// A locked collection that is not the default one is passed by: ``lockedParts(of:)`` names it.
  ///
  /// - Throws: `KeyringFailure.locked` if the default collection hides them.
  func list() throws(KeyringFailure) -> [AccountID: Set<ItemKind>] {
    try openWhatHides()
    guard let collection = try defaultCollection() else { throw .noDefaultCollection }
    let isLocked = try isLockedByPassword(collection)
    let found = try connection.ask(ServiceCalls.search(Schema.common))
    // Locked, and still it shows none: it hides them, or does not know them by their schema.
    if found.locked.isEmpty, isLocked { throw .locked() }
    var accounts: [AccountID: [ItemKind: Precedence]] = [:]
    func note(_ identity: Identity) {
      let known = accounts[identity.account]?[identity.kind] ?? Precedence()
      accounts[identity.account, default: [:]][identity.kind] = max(known, identity.precedence)
    }
    // Readable and still not one of acct's: another program used the schema's name.
    for identity in try identities(of: found.unlocked).compactMap(\.self) { note(identity) }
    for identity in try identities(of: found.locked.filter { isInside($0, collection) }) {
      guard let identity else { throw .locked() }
      note(identity)
    }
    return accounts.mapValues { kinds in Set(kinds.filter { !$0.value.isRemoval }.keys) }.filter { !$0.value.isEmpty }
  }

  /// The locked collections beside the default one that have the only, or the newest, copy of an item.
  ///
  /// Only a provider that finds locked items without asking its user is searched.
  func lockedParts(of accounts: [AccountID]) throws(KeyringFailure) -> [Keyring.LockedPart] {
    guard !connection.mayAskToSearch else { return [] }
    let collection = try defaultCollection()
    var parts: [(collection: String, part: Keyring.LockedPart)] = []
    // The bus bounds how many calls may be under way at once.
    for start in stride(from: 0, to: accounts.count, by: 100) {
      let some = accounts[start..<min(start + 100, accounts.count)]
      let found = try connection.ask(some.map { ServiceCalls.search(Schema.identity($0)) })
      for (account, found) in zip(some, found) where found.locked.contains(where: { !isInside($0, collection) }) {
        let kinds = ItemKind.allCases
        let obstacles = try obstacles(to: try search(account, kinds).found, account, kinds)
        for path in Set(obstacles.filter { !isInside($0, collection) }.map(Self.collection)).sorted() {
          if let index = parts.firstIndex(where: { $0.collection == path }) {
            parts[index].part.accounts.append(account)
          } else {
            let name = try connection.ask(ServiceCalls.label(path))
            parts.append((path, Keyring.LockedPart(name: name, accounts: [account])))
          }
        }
      }
    }
    return parts.map(\.part)
  }

  /// The state of the keyring for a write, found without a prompt.
  ///
  /// - Throws: `KeyringFailure` if the provider does not say.
  func state() throws(KeyringFailure) -> Keyring.State {
    guard let collection = try defaultCollection() else { return .locked }
    return try isLockedByPassword(collection) ? .locked : .ready
  }

  /// The account and kind of an item, and its place among its copies.
  private typealias Identity = (account: AccountID, kind: ItemKind, precedence: Precedence)

  /// The identity of each item, as far as its attributes can be read.
  private func identities(of paths: [String]) throws(KeyringFailure) -> [Identity?] {
    var identities: [Identity?] = []
    // The bus bounds how many calls may be under way at once.
    for start in stride(from: 0, to: paths.count, by: 100) {
      let some = paths[start..<min(start + 100, paths.count)]
      identities += try connection.ask(some.map(ServiceCalls.attributes)).map { attributes in
        Schema.parse(attributes).map { ($0.account, $0.kind, Precedence(of: attributes)) }
      }
    }
    return identities
  }
}

/// Performs the provider's prompts until they end.
protocol Prompter {
  /// Has a prompt performed, and returns the object that it made, if it made one.
  func perform(prompt path: String, of provider: String) throws(KeyringFailure) -> String?
}

extension LibsecretChannel: Prompter {}

/// KeePassXC stores and deletes by prompts only, and completes them without a question if it is
/// unlocked and does not have to confirm: so a prompt is tried even if prompts are forbidden.
extension PlainChannel: Prompter {
  /// Performs a prompt that should need no person, within the rest of the deadline.
  ///
  /// - Throws: `KeyringFailure.locked` if it does ask, and withdraws the prompt.
  func perform(prompt path: String, of provider: String) throws(KeyringFailure) -> String? {
    let completed = ServiceCalls.completed(path)
    subscribe(to: completed, from: provider)
    let performing = try send(ServiceCalls.perform(path), to: provider)
    do throws(KeyringFailure) {
      if let name = try reply(to: performing).errorName { throw KeyringFailure(errorName: name) }
      let (isDismissed, object) = try wait(for: completed, from: provider)
      if isDismissed { throw .dismissed }
      return object
    } catch .timedOut {
      let dismissing = try send(ServiceCalls.dismiss(path), to: provider)
      // Sent without waiting for its answer: there is no time left.
      _ = try? reply(to: dismissing)
      throw .wantsPerson
    }
  }
}

extension ServiceOperation {
  /// Stores items in the default collection, one after the other.
  ///
  /// An existing item gets another secret, and only a missing one is created: KeePassXC asks its user about an item
  /// that is to be replaced, even where it was told not to. An item that would not take precedence over its copies
  /// elsewhere is created anew, so that secret and sequence are stored in one step, and copies that are open are deleted.
  ///
  /// - Throws: `KeyringFailure`; the items before the one that failed are stored.
  func write(_ account: AccountID, _ items: [Keyring.Item]) throws(KeyringFailure) {
    guard !items.isEmpty else { return }
    let collection = try openDefaultCollection()
    var (session, copies) = try locate(account, items.map(\.kind), in: collection)
    for item in items {
      let known = copies[item.kind] ?? Copies()
      if let newest = known.newest, try replace(newest.path, session, item.secret) { continue }
      let precedence = Precedence(after: (known.own + known.elsewhere).map(\.precedence) + known.locked)
      let path = try create(account, item, precedence, in: collection, session)
      // KeePassXC asks its user about each.
      for older in known.own + (connection.mayAskToSearch ? [] : known.elsewhere) {
        // One that stays does not count.
        do { _ = try settle(try connection.ask(ServiceCalls.delete(older.path))) } catch {}
      }
      copies[item.kind] = Copies(
        own: [FoundItem(path: path, kind: item.kind, precedence: precedence)],
        locked: known.locked
      )
    }
  }

  /// Creates an item in a collection, and returns its path.
  func create(
    _ account: AccountID,
    _ item: Keyring.Item,
    _ precedence: Precedence,
    in collection: String,
    _ session: String
  ) throws(KeyringFailure) -> String {
    let creation = ServiceCalls.createItem(
      in: collection,
      label: Schema.label(account, item.kind),
      attributes: Schema.attributes(account, item.kind, precedence),
      session: session,
      secret: StoredForm.stored(item.secret)
    )
    guard let path = try settle(try connection.ask(creation)) else { throw .dismissed }
    return path
  }

  /// The items of one kind that an account has.
  private struct Copies {
    /// Those in the collection that is written to.
    var own: [FoundItem] = []
    /// Those in other collections.
    var elsewhere: [FoundItem] = []
    /// The places of locked ones in other collections.
    var locked: [Precedence] = []

    /// The one of the collection that takes precedence over all others; `nil` if none does.
    var newest: FoundItem? {
      guard let newest = own.max(by: { $0.precedence < $1.precedence }), !newest.precedence.isRemoval
      else { return nil }
      let others = (own.filter { $0.path != newest.path } + elsewhere).map(\.precedence) + locked
      return others.allSatisfy { $0 < newest.precedence } ? newest : nil
    }
  }

  /// Opens a session and finds acct's items in a collection that is unlocked, and their copies in others.
  ///
  /// - Throws: `KeyringFailure.locked` if one of the collection's is locked by itself.
  private func locate(
    _ account: AccountID,
    _ kinds: [ItemKind],
    in collection: String
  ) throws(KeyringFailure) -> (session: String, copies: [ItemKind: Copies]) {
    var (session, found) = try search(account, kinds)
    let locked = found.flatMap(\.locked).filter { isInside($0, collection) }
    if !locked.isEmpty {
      try unlock(locked)
      (session, found) = try search(account, kinds)
      guard !found.contains(where: { $0.locked.contains { isInside($0, collection) } }) else { throw .dismissed }
    }
    let unlocked = zip(kinds, found).flatMap { kind, found in found.unlocked.map { FoundItem(path: $0, kind: kind) } }
    var copies: [ItemKind: Copies] = [:]
    for item in try verify(unlocked, of: account).own {
      if isInside(item.path, collection) {
        copies[item.kind, default: Copies()].own.append(item)
      } else {
        copies[item.kind, default: Copies()].elsewhere.append(item)
      }
    }
    for (kind, found) in zip(kinds, found) where !found.locked.isEmpty {
      copies[kind, default: Copies()].locked.append(try precedence(ofLocked: found.locked))
    }
    return (session, copies)
  }

  /// Gives an item another secret, and returns whether it was still there to be given one.
  private func replace(_ path: String, _ session: String, _ secret: Secret) throws(KeyringFailure) -> Bool {
    do {
      try connection.ask(ServiceCalls.setSecret(of: path, session: session, secret: StoredForm.stored(secret)))
      return true
    } catch .failed {
      return false
    }
  }

  /// The default collection, created or unlocked if need be.
  ///
  /// - Throws: `KeyringFailure.locked` if that needs a prompt that is forbidden or was refused.
  func openDefaultCollection() throws(KeyringFailure) -> String {
    if let collection = try defaultCollection() {
      guard try isLocked(collection) else { return collection }
      try unlock([collection])
    } else {
      try createDefaultCollection()
    }
    guard let collection = try defaultCollection() else { throw .noDefaultCollection.withoutDesktop }
    guard try !isLocked(collection) else { throw .dismissed }
    return collection
  }
}
