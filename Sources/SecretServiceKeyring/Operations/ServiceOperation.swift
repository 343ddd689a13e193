import AcctModel
import AcctPorts
import SessionBus

/// One operation's calls to the provider: here, those that several operations share.
final class ServiceOperation {
  let connection: Connection
  /// Performs prompts; `nil` if prompts are allowed but not available yet.
  private let prompter: (any Prompter)?
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

  /// Has items or collections unlocked by a person; a further search tells whether they were.
  ///
  /// - Throws: `KeyringFailure.locked` if prompts are forbidden.
  func unlock(_ objects: [String]) throws(KeyringFailure) {
    guard isAsking else { throw lacking(.locked()) }
    _ = try settle(try connection.ask(ServiceCalls.unlock(objects)))
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

  private func lacking(_ failure: KeyringFailure) -> KeyringFailure {
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
}
