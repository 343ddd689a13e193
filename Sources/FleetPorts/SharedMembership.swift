package import AcctModel
package import AcctPorts

/// Who can open a shared keyring: the machines, passphrases and key files that its header names, and the change of its
/// key.
package struct SharedMembership: Sendable {
  /// Returns with what this machine can join a keyring.
  package var means: @Sendable (SharedKeyringSettings) throws(SharedMembershipFailure) -> JoiningMeans
  /// Joins a keyring by a code, which a member approves; waits until then.
  ///
  /// The machine's key is made in the TPM, if one is named, else in the machine's own keyring.
  /// `announce` gets the code once the request lies on the engine.
  package var request:
    @Sendable (SharedKeyringSettings, TPMAddress?, Interaction, _ announce: @escaping @Sendable (String) -> Void)
      async
      throws(SharedMembershipFailure) -> Void
  /// Makes the machine that waits with a code a member; returns its name.
  package var approve: @Sendable (_ code: String, Interaction) throws(SharedMembershipFailure) -> String
  /// Returns the machines that are members, those that have written, and all that opens the keyring.
  package var members: @Sendable (Interaction) throws(SharedMembershipFailure) -> SharedMembers
  /// Changes the keyring's key, and seals every object anew; returns once none of the former key is left.
  package var rekey: @Sendable (Rekeying, Interaction) throws(SharedMembershipFailure) -> Rekeyed
  /// The item of this machine's key in its own keyring, which belongs to no account; `nil` if it has none.
  package var ownItem: @Sendable () -> AccountID?

  package init(
    means: @escaping @Sendable (SharedKeyringSettings) throws(SharedMembershipFailure) -> JoiningMeans,
    request:
      @escaping @Sendable (
        SharedKeyringSettings, TPMAddress?, Interaction, _ announce: @escaping @Sendable (String) -> Void
      ) async throws(SharedMembershipFailure) -> Void,
    approve: @escaping @Sendable (_ code: String, Interaction) throws(SharedMembershipFailure) -> String,
    members: @escaping @Sendable (Interaction) throws(SharedMembershipFailure) -> SharedMembers,
    rekey: @escaping @Sendable (Rekeying, Interaction) throws(SharedMembershipFailure) -> Rekeyed,
    ownItem: @escaping @Sendable () -> AccountID?
  ) {
    self.means = means
    self.request = request
    self.approve = approve
    self.members = members
    self.rekey = rekey
    self.ownItem = ownItem
  }

  /// The machines that are members, and those that have written.
  package func machines(_ interaction: Interaction) throws(SharedMembershipFailure) -> [SharedMachine] {
    try members(interaction).machines
  }

  /// A machine that shares nothing.
  package static let none = SharedMembership(
    means: { _ throws(SharedMembershipFailure) in throw .keyring(.notJoined) },
    request: { _, _, _, _ throws(SharedMembershipFailure) in throw .keyring(.notJoined) },
    approve: { _, _ throws(SharedMembershipFailure) in throw .keyring(.notJoined) },
    members: { _ throws(SharedMembershipFailure) in throw .keyring(.notJoined) },
    rekey: { _, _ throws(SharedMembershipFailure) in throw .keyring(.notJoined) },
    ownItem: { nil }
  )
}

/// With what a machine can join a keyring.
package enum JoiningMeans: Sendable {
  /// A passphrase or a key file that is given, or the key of its own by which it was let in.
  case given
  /// The keyring's passphrase, if a person enters it; else a code.
  case passphrase
  /// A code that a member approves, and nothing else.
  case code
}

/// Why the members of a shared keyring were not changed.
package enum SharedMembershipFailure: Error, Equatable, Sendable {
  case keyring(KeyringFailure)
  /// Not 16 letters of base32.
  case notACode
  /// No machine waits with this code.
  case unknownCode
  /// The request is older than ten minutes.
  case oldCode
  /// A machine was approved with it: who did so, and the machine's name.
  case usedCode(by: String, machine: String)
  /// The request is not the one that the code was made for.
  case forgedRequest
  /// No member has approved the machine within ten minutes.
  case notApproved
  /// The keyring is of the form of earlier versions, in which machines have no keys.
  case formerForm
  case noSuchMachine(String)
  /// The machine was removed before; others that share the keyring have its name with a number.
  case removedBefore(String, MachineRemoval, namesakes: [String])
  case thisMachine
  /// This machine can't ask to join: it is a member.
  case member
  /// The new passphrase or key file opens the keyring already.
  case sameSecret(SharedMachine.Recipient)
  /// The keyring would have more passphrases than this many.
  case tooManyPassphrases(Int)
  /// The key has changed, and only a later version of acct can seal this account with it: the change stays begun.
  case laterVersion(AccountID)
  /// Something goes on writing with the former key: the change stays begun.
  case stillWriting
  /// The machine that is to be removed has had the keyring's passphrase or key file.
  case knowsSecret(SharedMachine.Recipient, machine: String)
  /// Means that this machine knows no reason for to open the keyring after the change; nothing was changed.
  case unknownMeans([SharedMeans], removing: String?)
  /// Several machines or means may be meant by a name.
  case ambiguous(String, [SharedMeans])
  /// No passphrase, key file or machine that opens the keyring is called so.
  case noSuchMeans(String)
  /// The keyring has as many machines as its header takes.
  case tooMany
}

/// A change of a shared keyring's key.
package struct Rekeying: Sendable {
  /// The machine that is removed, by name or identifier; `nil` for none.
  package var removing: String?
  package var secret: Secret
  /// The means that stay, by name or identifier: passphrases and key files beside a new one, and those that this machine
  /// does not know.
  package var keeping: [String]
  /// The means that go, by name or identifier.
  package var dropping: [String]

  /// The passphrase or key file that opens the keyring from then on.
  package enum Secret: Equatable, Sendable {
    /// Those of before.
    case same
    case passphrase(file: String)
    case keyFile(String)
    /// None: machines alone open it.
    case none
  }

  package init(
    removing: String? = nil,
    secret: Secret = .same,
    keeping: [String] = [],
    dropping: [String] = []
  ) {
    self.removing = removing
    self.secret = secret
    self.keeping = keeping
    self.dropping = dropping
  }
}

/// The result of a change of key.
package struct Rekeyed: Equatable, Sendable {
  /// The number of objects that were sealed anew.
  package var objects: Int
  /// The name of the machine that was removed.
  package var removed: String?
  /// The command that has removed it, if that was an earlier one; then nothing was changed.
  package var earlier: MachineRemoval?
  /// Accounts whose object opened with neither key.
  package var damaged: [AccountID]
  /// The means that opened the keyring before, besides the machine that was removed, and do so no more.
  package var dropped: [SharedMeans]

  package init(
    objects: Int,
    removed: String? = nil,
    earlier: MachineRemoval? = nil,
    damaged: [AccountID] = [],
    dropped: [SharedMeans] = []
  ) {
    self.objects = objects
    self.removed = removed
    self.earlier = earlier
    self.damaged = damaged
    self.dropped = dropped
  }
}

/// Who removed a machine from a shared keyring, and when.
package struct MachineRemoval: Equatable, Sendable {
  /// The name of the host.
  package var by: String
  /// Seconds since 1970.
  package var at: Int64

  package init(by: String, at: Int64) {
    self.by = by
    self.at = at
  }
}

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
