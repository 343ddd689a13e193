import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import PrivateFiles
import StrictJSON
import Vault
import Text

extension SharedVault {
  /// This machine, if it has been noted.
  func identity() throws(KeyringFailure) -> MachineIdentity? { try identity(in: MachineIdentity.fileName) }

  func identity(in file: String) throws(KeyringFailure) -> MachineIdentity? {
    guard let contents = try copies.read(file, in: copies.folder) else { return nil }
    guard let identity = MachineIdentity(parsing: contents) else {
      throw .failed(reason: "\(copies.folder.path(of: file)) is damaged")
    }
    return identity
  }

  /// Notes this machine.
  func note(_ identity: MachineIdentity, in file: String = MachineIdentity.fileName) throws(KeyringFailure) {
    try copies.write(file, identity.serialized(), in: copies.folder, surviving: true)
  }

  /// This machine, noted from now on.
  func notedIdentity() throws(KeyringFailure) -> MachineIdentity {
    if let identity = try identity() { return identity }
    let identity = MachineIdentity(id: hex(entropy.bytes(KeyringHeader.idCount)))
    try note(identity)
    return identity
  }

  /// This machine as the writer of an object; `nil` for one that has not joined, such as a CI job with its settings in
  /// the environment.
  func writer(_ opened: EpochKeys.Opened) -> Writer? {
    guard (try? copies.read(SettingsFile.fileName, in: copies.folder)) != nil, let id = try? notedIdentity().id
    else { return nil }
    // A write that does not say by which passphrase or key file counts for all of its kind.
    let recipient = opened.header.flatMap { _ in try? ownMeans(opened, nil) }?.shared
    return Writer(
      id: id,
      name: machine.hostName(),
      version: version,
      at: machine.now(),
      means: opened.means,
      recipient: opened.means == .machine ? nil : recipient
    )
  }

  /// The private key of this machine.
  ///
  /// - Parameters:
  ///   - place: The place of the key.
  ///   - interaction: Decides if a person may be asked to unlock a keyring.
  ///   - patience: The longest wait for a TPM that others use.
  /// - Returns: The key; a TPM is asked when it is used.
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:)`` if its keyring is locked, or has it no more.
  func machineKey(
    _ place: MachineIdentity.Place,
    _ interaction: Interaction,
    _ patience: DeviceTimeout = .full
  ) throws(KeyringFailure) -> RecipientKey {
    switch place {
    case .keyring(let kind, let item): RecipientKey(try machineKey(in: kind, item, interaction))
    case .tpm(let address, let blob): try machineKey(of: blob, in: address, patience)
    }
  }

  private func machineKey(
    in kind: Keyring.Kind,
    _ id: AccountID,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> P256PrivateKey {
    guard let keyring = local(kind) else { throw .locked(reason: "\(kind.rawValue) has its key") }
    let item = try waiting { () async throws(KeyringFailure) in
      try await keyring.read(id, [.keypair], interaction)[.keypair]
    }
    guard let item else {
      throw .locked(reason: "\(kind.rawValue) does not have this machine's key any more", openedBy: .approval)
    }
    guard let scalar = Secret(hexadecimal: item), let key = try? P256PrivateKey(rawScalar: scalar) else {
      throw .failed(reason: "this machine's key in \(kind.rawValue) is damaged")
    }
    return key
  }

  /// Makes a key for this machine, and keeps it in the machine's own keyring: the desktop's, else the vault.
  ///
  /// - Parameters:
  ///   - file: The file that says where it is.
  ///   - interaction: Decides if a person may be asked to unlock a keyring.
  /// - Returns: This machine with it, and its public part.
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:)`` if there is no keyring.
  func makeMachineKey(
    in file: String,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> (identity: MachineIdentity, publicKey: P256PublicKey) {
    let key: P256PrivateKey
    do { key = try P256PrivateKey.generate() } catch { throw KeyringFailure(error) }
    let candidates = [Keyring.Kind.secretService, .vault].compactMap(local)
    let item = AccountID(random: InlineArray { _ in entropy.bytes(1)[0] })
    let secret = key.rawScalar.hexadecimal
    let kind = try waiting { () async throws(KeyringFailure) in
      for keyring in candidates where await keyring.state() != .unavailable {
        try await keyring.prepare(interaction)
        try await keyring.write(item, [.init(.keypair, secret)], interaction)
        return keyring.kind as Keyring.Kind?
      }
      return nil
    }
    guard let kind else { throw .locked(reason: "this machine has no keyring of its own for its key") }
    let identity = MachineIdentity(id: KeyringHeader.id(of: key.publicKey), key: .keyring(kind, item: item))
    try note(identity, in: file)
    return (identity, key.publicKey)
  }

  /// The public key of this machine; one is made if it has none.
  func ownMachineKey(_ interaction: Interaction) throws(KeyringFailure) -> P256PublicKey {
    if let place = try identity()?.key {
      let key = try machineKey(place, interaction)
      // One that its TPM has lost would lock this machine out.
      if case .tpm(let address, _) = place { try tryOut(key, in: address) }
      return key.publicKey
    }
    return try makeMachineKey(in: MachineIdentity.fileName, interaction).publicKey
  }

  /// Deletes this machine's key.
  ///
  /// Its identifier stays, which is no secret: if the machine joins again, and is removed then, the others have to know
  /// which passphrase it has had.
  func forgetMachine() throws(KeyringFailure) {
    // A note that is damaged would keep the machine from joining again.
    guard let own = try? identity() else { return try copies.remove(MachineIdentity.fileName, in: copies.folder) }
    guard let place = own.key else { return }
    try forgetKey(place)
    try note(MachineIdentity(id: own.id))
  }

  /// Deletes the key for which this machine has asked to be let in, and was not.
  func forgetAsking() throws(KeyringFailure) {
    if let place = try? identity(in: MachineIdentity.askingName)?.key, try identity()?.key != place {
      try forgetKey(place)
    }
    try copies.remove(MachineIdentity.askingName, in: copies.folder)
  }

  func forgetKey(_ place: MachineIdentity.Place) throws(KeyringFailure) {
    // The blob of a TPM's key is in the note alone, which goes with it; the TPM keeps nothing.
    guard case .keyring(let kind, let item) = place, let keyring = local(kind) else { return }
    try waiting { () async throws(KeyringFailure) in try await keyring.remove(item, [.keypair], .forbidden) }
  }
}
