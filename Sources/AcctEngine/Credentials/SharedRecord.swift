package import AcctModel
package import AcctPorts
import AcctProtocol
import StrictJSON

/// An account from a shared keyring, checked: the one parser of records and items that other machines wrote.
///
/// Each machine that has the keyring's key, or had it, can write anything. So a record is read as strictly as an import,
/// and says nothing about this machine: where an account is kept, which replacement is under way, which device or module
/// has its key. SharedKeyring applies ``check`` to every object that it opens: the engine's, a copy's, a pending one's.
package struct SharedRecord: Sendable {
  package let account: Account

  /// Reads and checks what an object holds.
  ///
  /// - Returns: `nil` for items without an account, which are checked as well.
  /// - Throws: ``SharedDamage``.
  package init?(parsing contents: SharedContents) throws(SharedDamage) {
    let decoded = AccountFile.decode(contents.record)
    for (kind, secret) in contents.items where !Self.isSound(kind, secret, of: decoded) {
      throw kind == .keypair ? .keyInDevice : .item(kind)
    }
    if contents.record.isEmpty, contents.name == nil { return nil }
    guard let account = decoded, account.id == contents.id, account.name == contents.name, account.hasConsistentKind
    else { throw .notThisAccount }
    guard account.keptIn == nil, account.incoming == nil else { throw .localState }
    guard account.keyStorage == .software else { throw .keyInDevice }
    guard account.kind != .guest else { throw .guest }
    self.account = account
  }

  /// The rules for what a shared keyring may hold of an account.
  package static let check: SharedCheck = { contents in
    do throws(SharedDamage) {
      _ = try SharedRecord(parsing: contents)
      return nil
    } catch {
      return error
    }
  }

  /// Checks the form of an item.
  ///
  /// What costs more, such as a key's arithmetic, is checked where the item is used.
  private static func isSound(_ kind: ItemKind, _ secret: Secret, of account: Account?) -> Bool {
    switch kind {
    case .accessToken, .refreshToken, .session, .clientSecret, .expiresAt, .handle, .did, .secondTokens, .clientKey:
      kind.isWellFormed(secret)
    case .staticToken:
      // Without its record it is not known to be no password.
      account.map { (try? Token(secret, sentAs: $0.sentAs)) != nil } ?? ((try? Token(password: secret)) != nil)
    case .keypair: !isInDevice(secret)
    case .guest: false
    }
  }

  /// `true` also for what is no JWK.
  private static func isInDevice(_ secret: Secret) -> Bool {
    guard let members = secret.withBytes({ try? JSON(parsing: $0) })?.objectValue else { return true }
    return members["acct_key"] != nil
  }
}
