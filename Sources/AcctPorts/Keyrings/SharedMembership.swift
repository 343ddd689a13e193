package import AcctModel

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
