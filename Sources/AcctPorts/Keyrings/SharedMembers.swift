/// Who shares a keyring, and all that opens it.
package struct SharedMembers: Equatable, Sendable {
  /// The machines with keys of their own, and those that have written with a passphrase or a key file.
  package var machines: [SharedMachine]
  package var means: [SharedMeans]
  /// How many entries the sealed list has twice, by a flaw or by a member's hand; the next change drops them.
  package var doubles: Int

  package init(machines: [SharedMachine], means: [SharedMeans] = [], doubles: Int = 0) {
    self.machines = machines
    self.means = means
    self.doubles = doubles
  }
}

/// A means of opening a shared keyring: a passphrase, a key file, or the key of a machine.
package struct SharedMeans: Equatable, Sendable {
  /// The identifier of its public key.
  package var id: String
  package var kind: SharedMachine.Recipient
  /// That of the machine; `passphrase-1`, `keyfile-1` and so on for the others.
  package var name: String
  /// Seconds since 1970; `nil` if that was not noted.
  package var since: Int64?
  /// The machine that added it, by its own signature; `nil` if that is not known.
  package var addedBy: String?
  /// The machines that signed for it when the key changed.
  package var keptBy: [String]
  /// The last write of a machine that opened the keyring by it, in seconds since 1970; `nil` if none is known.
  package var lastUsed: Int64?
  /// The machines that are said to have it.
  package var knownHolders: [String]
  /// `true` if this machine opens the keyring by it.
  package var isOwn: Bool
  /// `true` if a change of the key on this machine carries it over without asking.
  package var isKnown: Bool
  /// `false` for one that the header opens to, and its sealed list does not have: the next change drops it.
  package var isListed: Bool

  package init(
    id: String,
    kind: SharedMachine.Recipient,
    name: String,
    since: Int64? = nil,
    addedBy: String? = nil,
    keptBy: [String] = [],
    lastUsed: Int64? = nil,
    knownHolders: [String] = [],
    isOwn: Bool = false,
    isKnown: Bool = false,
    isListed: Bool = true
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.since = since
    self.addedBy = addedBy
    self.keptBy = keptBy
    self.lastUsed = lastUsed
    self.knownHolders = knownHolders
    self.isOwn = isOwn
    self.isKnown = isKnown
    self.isListed = isListed
  }
}

/// A machine that shares a keyring.
package struct SharedMachine: Equatable, Sendable {
  package var id: String
  /// Its host's name, with a number where another one has that.
  package var name: String
  /// Of acct; `nil` if it is not known.
  package var version: String?
  package var recipient: Recipient
  /// Seconds since 1970; `nil` for a machine that only its writes are known of.
  package var since: Int64?
  /// Its last write, in seconds since 1970; `nil` if no account has one of it.
  package var lastSeen: Int64?
  package var isThis: Bool
  /// The place of its key, as the machine has told it; `nil` if it has none, or has not told.
  package var keyPlace: KeyPlace?

  /// The place of a machine's own key.
  package enum KeyPlace: String, Sendable { case software, tpm }

  /// The means by which it opens the keyring.
  package enum Recipient: String, Sendable { case machine, passphrase, keyFile = "keyfile" }

  package init(
    id: String,
    name: String,
    version: String?,
    recipient: Recipient,
    since: Int64?,
    lastSeen: Int64?,
    isThis: Bool,
    keyPlace: KeyPlace? = nil
  ) {
    self.id = id
    self.name = name
    self.version = version
    self.recipient = recipient
    self.since = since
    self.lastSeen = lastSeen
    self.isThis = isThis
    self.keyPlace = keyPlace
  }
}
