package import AcctCrypto
package import Secrets
package import AcctPorts

/// What a shared keyring takes of a vault's opener: passphrases, their cost, and the place of an opened key between two
/// calls.
extension VaultKeyOpener {
  /// The cost of a guess at a new passphrase.
  package var cost: KDFParameters { kdf }

  /// The passphrase of the file or credential, if there is one.
  package func given() throws(KeyringFailure) -> Passphrase? {
    do { return try passphrases.given() } catch { throw KeyringFailure(error) }
  }

  /// The passphrase that a person enters.
  package func asked(_ interaction: Interaction, isRepeated: Bool) throws(KeyringFailure) -> Secret {
    do { return try passphrases.asked(interaction, isRepeated: isRepeated).secret } catch {
      throw KeyringFailure(error)
    }
  }

  /// A passphrase for a keyring that is made now: the given one, else one that is asked for.
  package func new(for place: String, _ interaction: Interaction) throws(KeyringFailure) -> Secret {
    do {
      if let given = try passphrases.givenForNew() { return given.secret }
      return try passphrases.new(for: place, entropy, interaction).secret
    } catch {
      throw KeyringFailure(error)
    }
  }

  /// A passphrase to be used from now on, in a file that the user names.
  package func new(file: String) throws(KeyringFailure) -> Passphrase {
    do { return try passphrases.new(file: file, entropy, .forbidden) } catch { throw KeyringFailure(error) }
  }

  /// The passphrase of a vault's header, which has to open it: the given one, else one that is asked for.
  package func passphrase(of header: VaultHeader, _ interaction: Interaction) throws(KeyringFailure) -> Secret {
    let passphrase = try passphrase(interaction)
    _ = try open(header, by: passphrase, keeping: false)
    return passphrase.secret
  }

  /// `true` if a passphrase opens a vault's header.
  package func opens(_ header: VaultHeader, _ passphrase: Secret) throws(KeyringFailure) -> Bool {
    do { return try header.vaultKey(passphrase) != nil } catch { throw KeyringFailure(error) }
  }

  /// This opener with the passphrase of a file, and no other.
  package func reading(_ file: String) -> VaultKeyOpener {
    var opener = self
    opener.passphrases.file = file
    return opener
  }

  /// This opener with a passphrase that a person has entered, and no other.
  package func entered(_ passphrase: Secret) -> VaultKeyOpener {
    var opener = self
    opener.passphrases.entered = passphrase
    return opener
  }

  /// The stored key of this name; `nil` if there is none, or a given secret can't be the one that opened it.
  package func stored(_ name: String, openedBy given: Secret?) -> Secret? { cache.key(named: name, openedBy: given) }

  /// Stores a key that a secret has opened.
  package func store(_ key: Secret, _ name: String, openedBy secret: Secret) {
    _ = cache.keep(CachedVaultKey(key, openedBy: secret), named: name)
  }

  /// Deletes a key; returns `true` if it is stored nowhere any more.
  package func forget(_ name: String) -> Bool { cache.forget(named: name) }
}
