package import AcctModel

/// The permission to ask a person to unlock the keyring.
package enum Interaction: Sendable {
  /// No prompt is shown; a locked keyring is an error at once.
  case forbidden
  /// The provider's own prompt or the terminal may ask, and get 2 minutes.
  case allowed
}

/// Why a keyring operation failed; the CLI translates it into the user's words.
package enum KeyringFailure: Error, Equatable, Sendable {
  /// It exists but is locked, and was not unlocked; the reason, if one is known, and what opens it.
  case locked(reason: String? = nil, openedBy: Opening = .any)
  /// It is locked: neither its TPM nor a passphrase opened it; the reason says why the passphrase did not.
  case sealed(in: TPMAddress, HardwareKeyFailure, reason: String?)
  /// None is running, or it cannot be reached.
  case unavailable(reason: String)
  /// The user was asked to unlock it, and refused.
  case cancelled
  /// It did not answer in time.
  case timedOut
  /// The vault does not exist yet, and this operation does not create it.
  case noVault(folder: String)
  /// It answered with an error of its own. The text never holds a secret.
  case failed(reason: String)
  /// A later version of acct wrote a part of it, which this one neither uses nor replaces; the part, as a message names it.
  case newer(part: String)
  /// This machine has neither made nor joined a shared keyring.
  case notJoined
  /// The engine of a shared keyring failed.
  case engine(SharedStoreFailure)
  /// The engine of a shared keyring, or its object of an account, is older than the known one, or not the same.
  case rolledBack
  /// A server's answer for an account could not be stored on the engine yet, and is on this machine until then.
  case answerWaits
  /// The file of such an answer does not open; its account can't be changed on the engine until the file is set aside.
  case answerUnopened(path: String)
  /// A shared keyring's header, on the engine or in this machine's copy, can't be used.
  case damagedHeader(_ reason: String)
  /// A shared keyring's data of an account can't be used.
  case damagedAccount(AccountID, SharedDamage)
  /// Another machine has removed this one from a shared keyring: its name, and when, in seconds since 1970.
  case removedMachine(by: String, at: Int64)
  /// This machine's key for a shared keyring is in a TPM, which can't use it.
  case machineKey(in: TPMAddress, HardwareKeyFailure)
  /// The settings of a shared keyring can't be used.
  case settings(KeyringSettingsFlaw)
}

extension KeyringFailure {
  /// The means that opens a locked keyring.
  package enum Opening: Equatable, Sendable {
    /// A person, or a passphrase or key that was not given.
    case any
    /// No secret of this machine's, but the approval by a member of a shared keyring.
    case approval
    /// A person, who has to open this part of the keyring, or to store new credentials outside of it.
    case part(String)
    /// A person at the desktop: no prompt can be shown here.
    case desktop
    /// Another keyring, or a person at the desktop: it does not exist yet.
    case otherKeyring
    /// A passphrase or key of a shared keyring that this machine wants to join: there is nothing here to unlock yet, and
    /// what was given may be right for this machine's own vault.
    case joining
    /// Another passphrase or key than the one that was entered, or is in this file.
    case otherPassphrase(file: String?)
    /// The passphrase or key in this file, once acct can use it.
    case file(String)
    /// A file with the passphrase, since the kernel does not keep what a person has entered.
    case fileForEach
  }

  /// A person was asked for the passphrase, and entered none.
  package static let noPassphrase = KeyringFailure.locked(reason: noPassphraseReason)
  package static let noPassphraseReason = "no passphrase was given"
}

extension KeyringFailure {
  /// `true` if the keyring may accept the same operation later.
  package var mayPass: Bool {
    switch self {
    case .locked, .sealed, .cancelled, .unavailable, .timedOut, .answerWaits: true
    case .engine(let failure): failure.isOutage || failure == .noSpace
    case .machineKey(_, let failure): failure != .foreign && failure != .gone
    case .noVault, .failed, .newer, .notJoined, .rolledBack, .answerUnopened, .damagedHeader, .damagedAccount,
      .removedMachine, .settings:
      false
    }
  }

  /// `true` if it is there, and this machine or its user has not opened it.
  package var isLocked: Bool {
    switch self {
    case .machineKey(_, .absent): false
    case .locked, .sealed, .cancelled, .removedMachine, .machineKey: true
    case .unavailable, .timedOut, .noVault, .failed, .newer, .notJoined, .engine, .rolledBack, .answerWaits,
      .answerUnopened, .damagedHeader, .damagedAccount, .settings:
      false
    }
  }
}

/// A reason why an account of a shared keyring can't be used.
package enum SharedDamage: Error, Hashable, Sendable {
  /// The bytes are no object of acct's, or are cut short.
  case notAnObject
  /// A later version of acct wrote it.
  case unknownVersion
  /// It does not open: it was modified, or belongs to another place.
  case modified
  /// A former key of the keyring sealed it, which counts no more.
  case formerKey
  /// It opens, and is not of the form that acct writes.
  case malformed
  /// Its key on the engine has no account's identifier.
  case strayKey
  /// Its record is not an account, or not the one that the object's key and name say.
  case notThisAccount
  /// Its record has members that only the file of one machine may have.
  case localState
  /// Its key is in a device of another machine.
  case keyInDevice
  /// It is a guest, which a keyring of several machines does not hold.
  case guest
  /// An item is not of the form that acct writes.
  case item(ItemKind)
  /// Another account of the keyring has its name.
  case nameTaken
}

/// Why an engine did not carry out a request.
///
/// No text holds a secret.
package enum SharedStoreFailure: Error, Equatable, Sendable {
  /// No member could be reached; the reason, in plain words.
  case unavailable(reason: String)
  /// It did not answer within the deadline.
  case timedOut
  /// It answers, but has no leader: too few of its members are available.
  case noQuorum
  /// It accepts no more writes: its quota or its disk is full.
  case noSpace
  /// It rejects this user or this certificate, or denies access to these keys.
  case denied(reason: String)
  /// It lets this user or certificate read an account's object, and not write it.
  case readOnly(reason: String)
  /// TLS could not be established: another authority's certificate, another host's name.
  case untrusted(reason: String)
  /// The engine is not prepared, such as a table that is missing; the reason says how to prepare it.
  case notPrepared(reason: String)
  /// It answered with an error of its own.
  case failed(reason: String)
}

extension SharedStoreFailure {
  /// `true` if the engine gave no answer, and may give one later.
  package var isOutage: Bool {
    switch self {
    case .unavailable, .timedOut, .noQuorum: true
    case .noSpace, .denied, .readOnly, .untrusted, .notPrepared, .failed: false
    }
  }
}

/// Why the settings of a shared keyring can't be used.
///
/// It repeats no part of the input, which may be a password.
package enum KeyringSettingsFlaw: Error, Equatable, Sendable {
  /// The keyring's name.
  case name
  /// A member of etcd is not `https://HOST:PORT`.
  case endpoint
  /// A connection string or URI of PostgreSQL can't be parsed.
  case connection
  /// It names no host.
  case noHost
  /// It has a word that would take settings from elsewhere, such as `service`.
  case indirect(keyword: String)
  /// It holds a password.
  case password
  /// Its `sslmode`, one of libpq's, accepts a server whose certificate or name is not verified.
  case unverified(mode: String)
}
