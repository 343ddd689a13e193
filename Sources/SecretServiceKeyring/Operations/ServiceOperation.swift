import AcctModel
import AcctPorts
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
      try connection.ask(PromptCalls.dismiss(prompt))
      throw lacking(try failure(ofLocked: objects, else: .locked()))
    }
  }

  /// Returns `true` if a collection is locked by a password; one without is unlocked by the call.
  func isLockedByPassword(_ collection: String) throws(KeyringFailure) -> Bool {
    guard try isLocked(collection) else { return false }
    let outcome = try connection.ask(ServiceCalls.unlock([collection]))
    if let prompt = outcome.prompt { try connection.ask(PromptCalls.dismiss(prompt)) }
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
      try connection.ask(PromptCalls.dismiss(prompt))
      throw lacking(.wantsPerson)
    }
    return try prompter.perform(prompt: prompt, of: connection.owner)
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
