import AcctCrypto
import Secrets
package import AcctPorts
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
  /// - Throws: ``KeyringFailure``; ``KeyringFailure/locked(reason:)`` without the means that it takes.
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
