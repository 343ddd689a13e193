package import AcctModel

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
