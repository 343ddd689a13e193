import AcctCrypto
import AcctModel
import AcctPorts
import FleetPorts
import PrivateFiles
import Secrets
import StrictJSON
import Text
import Vault

extension SharedVault {
  /// This machine, if it has been noted.
  func identity() throws(KeyringFailure) -> MachineIdentity? { try identity(in: MachineIdentity.fileName) }

  func identity(in file: String) throws(KeyringFailure) -> MachineIdentity? {
    guard let contents = try copies.read(file, in: copies.folder) else { return nil }
    guard let identity = MachineIdentity(parsing: contents) else {
      let path = copies.folder.path(of: file)
      throw MachineIdentity.isNewer(contents) ? .newer(part: path) : .failed(reason: "\(path) is damaged")
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
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:openedBy:)`` if its keyring is locked, or has it no more.
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
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:openedBy:)`` if there is no keyring.
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

/// This machine among those of a shared keyring: its identifier, and the place of its key, if it has one.
///
/// The file says where the key is; the key itself is in the machine's own keyring, or in its TPM.
struct MachineIdentity: Equatable, Sendable {
  /// Of the public key, if there is one, else random.
  var id: String
  var key: Place?

  enum Place: Equatable, Sendable {
    /// The item ``ItemKind/keypair`` of an identifier that no account has.
    case keyring(Keyring.Kind, item: AccountID)
    /// A TPM, and the key's blob, which only that one can load.
    case tpm(TPMAddress, blob: [UInt8])

    /// The item of the machine's own keyring; `nil` for a key that is not in it.
    var item: AccountID? {
      switch self {
      case .keyring(_, let item): item
      case .tpm: nil
      }
    }

    /// `true` for a key that the vault's passphrase opens.
    var isInVault: Bool { if case .keyring(.vault, _) = self { true } else { false } }

    var kind: SharedMachine.KeyPlace {
      switch self {
      case .keyring: .software
      case .tpm: .tpm
      }
    }
  }

  static let fileName = "machine"
  /// The note of a key for which this machine asks to be let in.
  static let askingName = "machine.asking"
  private static let sizeLimit = 8192

  func serialized() -> [UInt8] {
    var members: JSONObject = ["format": "acct-machine", "id": .string(id)]
    switch key {
    case .keyring(let keyring, let item):
      members["keyring"] = .string(keyring.rawValue)
      members["item"] = .string(item.description)
    case .tpm(let address, let blob):
      members["tpm"] = .string(address.description)
      members["tss2"] = .string(hex(blob))
    case nil: break
    }
    return JSON.object(members).serialized() + [UInt8(ascii: "\n")]
  }

  init?(parsing contents: [UInt8]) {
    guard let members = (try? JSON(parsing: contents, maximumBytes: Self.sizeLimit))?.objectValue,
      members["format"]?.stringValue == "acct-machine", let id = members["id"]?.stringValue,
      [UInt8](hex: id, count: KeyringHeader.idCount) != nil, members.names.allSatisfy(Self.names.contains)
    else { return nil }
    self.id = id
    if members["tpm"] != nil {
      guard let address = members["tpm"]?.stringValue.flatMap({ try? TPMAddress($0) }),
        let text = members["tss2"]?.stringValue, let blob = [UInt8](hex: text, count: text.utf8.count / 2)
      else { return nil }
      key = .tpm(address, blob: blob)
      return
    }
    guard members["item"] != nil else { return }
    guard let item = members["item"]?.stringValue.flatMap({ try? AccountID($0) }),
      let keyring = members["keyring"]?.stringValue.flatMap(Keyring.Kind.init(rawValue:)), !keyring.isShared
    else { return nil }
    key = .keyring(keyring, item: item)
  }

  private static let names = ["format", "id", "keyring", "item", "tpm", "tss2"]

  /// `true` for a note with members that only a later version of acct knows: the place of another kind of key.
  static func isNewer(_ contents: [UInt8]) -> Bool {
    guard let members = (try? JSON(parsing: contents, maximumBytes: sizeLimit))?.objectValue else { return false }
    return members["format"]?.stringValue == "acct-machine" && !members.names.allSatisfy(names.contains)
  }

  init(id: String, key: Place? = nil) {
    self.id = id
    self.key = key
  }
}

/// The private key of a recipient, as far as its messages need it: it may be in a device, which is asked for each one.
struct RecipientKey: Sendable {
  let publicKey: P256PublicKey
  /// Computes what the key and another's public one have in common: the x coordinate, 32 bytes.
  let agreement: @Sendable (P256PublicKey) throws(KeyringFailure) -> Secret
  /// Signs for this machine: ECDSA with SHA-256; `nil` for a key in a TPM, which agrees and does nothing else.
  let sign: (@Sendable ([UInt8]) throws(KeyringFailure) -> [UInt8])?

  init(
    _ publicKey: P256PublicKey,
    sign: (@Sendable ([UInt8]) throws(KeyringFailure) -> [UInt8])? = nil,
    agreement: @escaping @Sendable (P256PublicKey) throws(KeyringFailure) -> Secret
  ) {
    self.publicKey = publicKey
    self.sign = sign
    self.agreement = agreement
  }

  init(_ key: P256PrivateKey) {
    self.init(
      key.publicKey,
      sign: { message throws(KeyringFailure) in
        do throws(CryptoError) { return try key.sign(message.span) } catch { throw KeyringFailure(error) }
      },
      agreement: { other throws(KeyringFailure) in
        do throws(CryptoError) { return try key.agreement(with: other) } catch { throw KeyringFailure(error) }
      }
    )
  }

  /// Opens a message; `nil` for one to another key, or one that was modified.
  ///
  /// - Throws: ``KeyringFailure`` if the key can't be used now.
  func open(_ message: HPKE.Message, info: [UInt8]) throws(KeyringFailure) -> Secret? {
    guard let sender = try? HPKE.sender(of: message.encapsulated) else { return nil }
    let agreed = try agreement(sender)
    return try? HPKE.open(message, to: publicKey, agreed: agreed, info: info)
  }
}

/// This machine as one that vouches for means of opening the keyring.
struct Signer: Sendable {
  /// The identifier of its key.
  let machine: String
  let keyring: [UInt8]
  /// Seconds since 1970.
  let at: Int64
  private let sign: @Sendable ([UInt8]) throws(KeyringFailure) -> [UInt8]

  /// - Returns: `nil` for a key that can't sign.
  init?(_ key: RecipientKey, _ machine: String, keyring: [UInt8], at: Int64) {
    guard let sign = key.sign else { return nil }
    (self.machine, self.keyring, self.at, self.sign) = (machine, keyring, at, sign)
  }

  /// Makes a voucher for a means.
  func voucher(_ act: Voucher.Act, for means: String, named name: String = "") throws(KeyringFailure) -> Voucher {
    let message = Voucher.message(act, keyring, means: means, name: name, at: at)
    return Voucher(act: act, machine: machine, at: at, signature: try sign(message))
  }

  /// Adds a voucher to an entry.
  func vouch(_ act: Voucher.Act, for entry: inout some Vouched) throws(KeyringFailure) {
    entry.add(try voucher(act, for: entry.id, named: entry.signedName))
  }
}

extension SharedVault {
  /// This machine, if it is a member with a key of its own that can be used now and can sign.
  ///
  /// A means without a signature opens the keyring as well; other machines ask about it when the key changes. So a key
  /// that is locked stops nothing.
  func signer(_ roster: Roster, keyring: [UInt8], _ interaction: Interaction) throws(KeyringFailure) -> Signer? {
    guard let own = try identity(), let place = own.key, place.kind == .software,
      roster.machines.contains(where: { $0.id == own.id })
    else { return nil }
    do throws(KeyringFailure) {
      return Signer(try machineKey(place, interaction), own.id, keyring: keyring, at: machine.now())
    } catch {
      guard case .locked = error else { throw error }
      return nil
    }
  }
}
