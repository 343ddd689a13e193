import AcctCrypto
package import AcctPorts
import FleetPorts
import Secrets
import Text
package import Vault

/// Opens the key of a shared keyring, by passphrase or by key file, as its header says.
package struct SharedKeyOpener: Sendable {
  let opener: VaultKeyOpener
  let keyFile: KeyFile?
  let entropy: Entropy

  /// Names the means that open a shared keyring; nothing is read or asked for yet.
  ///
  /// - Parameters:
  ///   - opener: For keyrings that a passphrase opens.
  ///   - keyFile: For those that a key file opens; a new keyring is made with it, if there is one.
  ///   - entropy: For the salt of a header.
  package init(_ opener: VaultKeyOpener, keyFile: KeyFile?, entropy: Entropy) {
    self.opener = opener
    self.keyFile = keyFile
    self.entropy = entropy
  }

  /// Opens the key of the keyring with this header.
  ///
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:openedBy:)`` without the means that it takes.
  func open(
    _ header: AnyVaultHeader,
    _ interaction: Interaction,
    keeping: Bool = true
  ) throws(KeyringFailure) -> Secret {
    switch header {
    case .passphrase(let header):
      do { return try opener.openByPassphrase(header, interaction, keeping: keeping).key } catch {
        guard let keyFile, case .locked(let reason, _) = error else { throw error }
        throw .locked(
          reason: "a passphrase opens this keyring, not the key in \(keyFile.path)" + (reason.map { " (\($0))" } ?? "")
        )
      }
    case .keyFile(let header):
      guard let keyFile else {
        throw .locked(reason: "a key file opens this keyring, and ACCT_VAULT_KEY_FILE names none")
      }
      let key = try keyFile.key()
      guard header.isOf(key) else { throw keyFile.wrong }
      return key
    }
  }

  /// The same means but for the secret that a change of the key brings; `nil` where it brings none.
  func replacingSecret(by secret: Rekeying.Secret) -> SharedKeyOpener? {
    switch secret {
    case .same, .none: nil
    case .passphrase(let file): SharedKeyOpener(opener.reading(file), keyFile: nil, entropy: entropy)
    case .keyFile(let file): SharedKeyOpener(opener, keyFile: KeyFile(path: file), entropy: entropy)
    }
  }

  /// The same with a passphrase that a person has entered, as if it were given.
  func entered(_ passphrase: Secret) -> SharedKeyOpener {
    SharedKeyOpener(opener.entered(passphrase), keyFile: keyFile, entropy: entropy)
  }

  /// `true` if a passphrase or a key file is given, right or not.
  func hasSecret() throws(KeyringFailure) -> Bool {
    if keyFile != nil { return true }
    return try opener.given() != nil
  }

  /// Makes the header of a new keyring, whose random key a key file opens, else a passphrase.
  func make(holder: String, at time: Int64, _ interaction: Interaction) throws(KeyringFailure) -> KeyringHeader {
    var shared =
      if let keyFile { try Self.recipient(ofFile: keyFile.key()) } else {
        try recipient(of: opener.new(for: "the keyring that the machines share", interaction))
      }
    shared.holders = [holder]
    shared.since = time
    let key = EpochKey(epoch: KeyringHeader.firstEpoch, key: random())
    var roster = Roster(names: random(), generation: 1)
    roster.shared = [shared]
    roster.noteJoining(of: holder, at: time)
    do {
      let keyring = entropy.bytes(KeyringHeader.idCount)
      return try KeyringHeader(keyring: keyring, key, after: nil, for: roster, removals: [], entropy)
    } catch {
      throw KeyringFailure(error)
    }
  }

  /// A key of 32 random bytes.
  func random() -> Secret {
    var bytes = entropy.bytes(AESGCM.keyCount)
    return Secret(consuming: &bytes)
  }

  /// The recipient that a passphrase is, under a salt of its own.
  func recipient(of passphrase: Secret) throws(KeyringFailure) -> Roster.Shared {
    let salt = entropy.bytes(VaultHeader.saltCount)
    do {
      let key = try KeyringHeader.key(of: passphrase, opener.cost, salt: salt)
      return Roster.Shared(publicKey: key.publicKey, kind: .passphrase(opener.cost, salt: salt))
    } catch {
      throw KeyringFailure(error)
    }
  }

  /// The recipient that a key file is.
  static func recipient(ofFile key: Secret) throws(KeyringFailure) -> Roster.Shared {
    do {
      return Roster.Shared(publicKey: try KeyringHeader.key(ofFile: key).publicKey, kind: .keyFile)
    } catch {
      throw KeyringFailure(error)
    }
  }

  /// Deletes the key of the keyring with this header, in the kernel as well.
  ///
  /// - Returns: `true` if it is stored nowhere any more; a key file stays the user's.
  func forget(_ header: SharedHeader) -> Bool {
    switch header {
    case .former(.passphrase(let header)): opener.cache.forget(header)
    case .former(.keyFile): true
    case .epochs(let header): forget(header)
    }
  }

  /// Wipes the key in this process.
  func end() { opener.cache.end() }
}

extension KeyFile {
  /// It opens another keyring, or none.
  var wrong: KeyringFailure {
    .locked(reason: "the key in \(path) is not the keyring's", openedBy: .otherPassphrase(file: path))
  }
}

extension SharedKeyOpener {
  /// The name under which an epoch's key is stored; a machine's own key opens without a given secret.
  private func name(_ header: KeyringHeader, byMachine: Bool) -> String {
    var text = Array("acct keyring \(hex(header.keyring)) ".utf8)
    text.append(bigEndian: header.epoch)
    return hex(SHA256.hash(text.span).prefix(16)) + (byMachine ? "m" : "")
  }

  /// Opens the keyring with this header: by this machine's key, by key file, or by passphrase.
  ///
  /// - Parameters:
  ///   - header: The header.
  ///   - machine: This machine, if it is noted.
  ///   - machineKey: Reads this machine's key.
  ///   - interaction: Decides if a person may be asked.
  ///   - keeping: `true` to store the key afterwards.
  /// - Returns: The keys of its epochs.
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/removedMachine(by:at:)``; ``KeyringFailure/locked(reason:openedBy:)``.
  func open(
    _ header: KeyringHeader,
    as machine: MachineIdentity?,
    _ machineKey: (MachineIdentity.Place) throws(KeyringFailure) -> RecipientKey,
    _ interaction: Interaction,
    keeping: Bool = true
  ) throws(KeyringFailure) -> EpochKeys.Opened {
    if let machine, let place = machine.key, header.hasMember(machine) {
      let name = name(header, byMachine: true)
      if let opened = stored(name, header, .machine, openedBy: nil) { return opened }
      guard let key = try header.key(by: machineKey(place))?.key else {
        throw .damagedHeader("its line for this machine does not open")
      }
      let opened = try opened(header, key, .machine)
      if keeping { opener.store(key, name, openedBy: Secret("")) }
      return opened
    }
    do throws(KeyringFailure) {
      return try openShared(header, machine == nil ? interaction : .forbidden, keeping)
    } catch {
      guard case .locked = error, let machine else { throw error }
      if let place = machine.key, header.removals.contains(where: { $0.id == machine.id }),
        let removal = try header.removal(of: machineKey(place))
      {
        throw .removedMachine(by: removal.by, at: removal.at)
      }
      guard interaction == .allowed else { throw error }
      return try openShared(header, interaction, keeping)
    }
  }

  private func openShared(
    _ header: KeyringHeader,
    _ interaction: Interaction,
    _ keeping: Bool
  ) throws(KeyringFailure) -> EpochKeys.Opened {
    let name = name(header, byMachine: false)
    func kept(
      _ recipient: P256PrivateKey,
      _ means: Means,
      openedBy secret: Secret
    ) throws(KeyringFailure) -> EpochKeys.Opened? {
      guard let key = try header.key(by: RecipientKey(recipient))?.key else { return nil }
      var opened = try opened(header, key, means)
      opened.recipient = KeyringHeader.id(of: recipient.publicKey)
      if keeping { opener.store(key, name, openedBy: secret) }
      return opened
    }
    if let keyFile, header.recipients.contains(where: { $0.kind == .keyFile }) {
      let secret = try keyFile.key()
      if let opened = stored(name, header, .keyFile, openedBy: secret) { return opened }
      let key: P256PrivateKey
      do { key = try KeyringHeader.key(ofFile: secret) } catch { throw KeyringFailure(error) }
      if let opened = try kept(key, .keyFile, openedBy: secret) { return opened }
      guard header.hasPassphrase else { throw keyFile.wrong }
    }
    guard header.hasPassphrase else {
      guard header.recipients.contains(where: { $0.kind == .keyFile }) else {
        throw .locked(reason: "only machines that a member has approved open it", openedBy: .approval)
      }
      throw .locked(reason: "a key file opens this keyring, and ACCT_VAULT_KEY_FILE names none")
    }
    do throws(KeyringFailure) {
      let given = try opener.given()
      for secret in given?.candidates.map(Optional.some) ?? [nil] {
        if let opened = stored(name, header, .passphrase, openedBy: secret) { return opened }
      }
      for attempt in 0..<(given?.candidates.count ?? 3) {
        let secret =
          if let given { given.candidates[attempt] } else { try opener.asked(interaction, isRepeated: attempt > 0) }
        for key in try keys(of: secret, header) {
          if let opened = try kept(key, .passphrase, openedBy: secret) { return opened }
        }
      }
      throw .locked(
        reason: "\(given?.source ?? "the passphrase") is wrong",
        openedBy: .otherPassphrase(file: given?.file)
      )
    } catch .locked(let reason, let opening) {
      guard let keyFile else { throw .locked(reason: reason, openedBy: opening) }
      throw .locked(
        reason: "a passphrase opens this keyring, not the key in \(keyFile.path)" + (reason.map { " (\($0))" } ?? "")
      )
    }
  }

  /// `true` if a passphrase opens the keyring with this header.
  func opens(_ header: SharedHeader, _ passphrase: Secret) throws(KeyringFailure) -> Bool {
    switch header {
    case .former(.passphrase(let header)): return try opener.opens(header, passphrase)
    case .former(.keyFile): return false
    case .epochs(let header):
      return try keys(of: passphrase, header).contains { key in header.hasRecipient(key.publicKey) }
    }
  }

  /// The means by which what is given opens the keyring with this header; `nil` if nothing is, or it does not.
  func means(of header: KeyringHeader) throws(KeyringFailure) -> Means? {
    if let keyFile, try opens(.epochs(header), keyFile: keyFile.key()) { return .keyFile }
    guard let given = try opener.given() else { return nil }
    for secret in given.candidates where try opens(.epochs(header), secret) { return .passphrase }
    return nil
  }

  /// The passphrase or key file by which this machine opens the keyring, by identifier.
  ///
  /// It is tried, or known from before: the kernel's key says nothing about what the header opens to by now.
  ///
  /// - Parameters:
  ///   - header: The header.
  ///   - means: The kind by which it was opened.
  ///   - known: The means that this machine knows.
  ///   - asksScrypt: `true` to try the given passphrase, which takes a third of a second for each that there is.
  /// - Returns: `nil` if that is not known.
  /// - Throws: ``KeyringFailure`` if the key file or the passphrase can't be read.
  func sharedMeans(
    of header: KeyringHeader,
    _ means: Means,
    known: Set<String>,
    asksScrypt: Bool
  ) throws(KeyringFailure) -> String? {
    if let keyFile, means != .passphrase {
      let recipient = try Self.recipient(ofFile: keyFile.key())
      if header.hasRecipient(recipient.publicKey) { return recipient.id }
    }
    guard means == .passphrase else { return nil }
    if asksScrypt, let given = try opener.given() {
      for secret in given.candidates {
        let key = try keys(of: secret, header).first { header.hasRecipient($0.publicKey) }
        if let key { return KeyringHeader.id(of: key.publicKey) }
      }
      return nil
    }
    let all = header.recipients.filter { $0.kind.isPassphrase && known.contains($0.line.id) }
    return all.count == 1 ? all.first?.line.id : nil
  }

  /// `true` if a key file opens the keyring with this header.
  func opens(_ header: SharedHeader, keyFile key: Secret) throws(KeyringFailure) -> Bool {
    switch header {
    case .former(.passphrase): return false
    case .former(.keyFile(let header)): return header.isOf(key)
    case .epochs(let header): return header.hasRecipient(try Self.recipient(ofFile: key).publicKey)
    }
  }

  /// The keys that a passphrase stands for: one for each recipient of that kind.
  private func keys(of passphrase: Secret, _ header: KeyringHeader) throws(KeyringFailure) -> [P256PrivateKey] {
    var keys: [P256PrivateKey] = []
    for recipient in header.recipients {
      guard case .passphrase(let kdf, let salt) = recipient.kind else { continue }
      do { keys.append(try KeyringHeader.key(of: passphrase, kdf, salt: salt)) } catch { throw KeyringFailure(error) }
    }
    return keys
  }

  private func opened(_ header: KeyringHeader, _ key: Secret, _ means: Means) throws(KeyringFailure) -> EpochKeys.Opened
  {
    let key = EpochKey(epoch: header.epoch, key: key)
    guard header.isAuthentic(key) else { throw .damagedHeader("no machine with its key has made its header") }
    return EpochKeys.Opened(current: key, header: header, means: means)
  }

  /// A header by the key that is stored for it.
  ///
  /// - Returns: `nil` without one, or where it is another epoch's of the same number, from before the engine was
  ///   restored: that one is forgotten.
  private func stored(
    _ name: String,
    _ header: KeyringHeader,
    _ means: Means,
    openedBy secret: Secret?
  ) -> EpochKeys.Opened? {
    guard let key = opener.stored(name, openedBy: secret) else { return nil }
    if let opened = try? opened(header, key, means) { return opened }
    _ = opener.forget(name)
    return nil
  }

  /// Deletes the key of an epoch, in the kernel as well.
  func forget(_ header: KeyringHeader) -> Bool {
    let names = [name(header, byMachine: true), name(header, byMachine: false)]
    return names.count { !opener.forget($0) } == 0
  }
}

extension KeyringHeader {
  /// `true` if the key of this epoch is wrapped for a public key.
  func hasRecipient(_ key: P256PublicKey) -> Bool {
    let id = Self.id(of: key)
    return recipients.contains { $0.line.id == id }
  }

  /// How many recipients have a line more than once.
  var doubles: Int { recipients.count - Set(recipients.map(\.line.id)).count }

  /// `true` if a machine with a key of its own is a recipient.
  func hasMember(_ machine: MachineIdentity) -> Bool {
    machine.key != nil && recipients.contains { $0.line.id == machine.id }
  }

  /// `true` if a passphrase is a recipient.
  var hasPassphrase: Bool { recipients.contains(where: \.kind.isPassphrase) }
}
