import AcctEngine
package import AcctModel
import Secrets
package import AcctPorts
package import FleetPorts
import AcctProtocol
import StrictJSON
import Release

/// An account from a shared keyring, checked: no record and no item that another machine wrote is used before.
///
/// Each machine that has the keyring's key, or had it, can write anything. So a record is parsed as strictly as an
/// import, and may state nothing about this machine: the account's keyring, a replacement in progress, the device or
/// module of its key. SharedKeyring applies ``check`` to every object that it opens: the engine's, a copy's, a pending
/// one's.
package struct SharedRecord: Sendable {
  package let account: Account

  /// Parses and checks the contents of an object.
  ///
  /// - Returns: `nil` for items without an account, which are checked as well.
  /// - Throws: ``SharedDamage``.
  package init?(parsing contents: SharedContents) throws(SharedDamage) {
    let decoded = AccountFile.decode(contents.record)
    guard decoded != nil || !AccountFile.isNewer(contents.record) else { throw .unknownVersion }
    for (kind, secret) in contents.items where !Self.isSound(kind, secret, of: decoded) {
      guard !kind.isNewer(secret) else { throw .unknownVersion }
      throw kind == .keypair ? .keyInDevice : .item(kind)
    }
    if contents.record.isEmpty, contents.name == nil { return nil }
    guard let account = decoded, account.id == contents.id, account.name == contents.name, account.hasConsistentKind
    else { throw .notThisAccount }
    // A file, a program or an account that another machine names must not be read, run or used here.
    guard account.keptIn == nil, account.incoming == nil, !account.namesFilesOrPrograms else { throw .localState }
    guard account.deviceStorage == nil else { throw .keyInDevice }
    guard account.kind != .guest else { throw .guest }
    self.account = account
  }

  /// The rules for the contents of an account's object on a shared keyring.
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
  /// Costlier checks, such as a key's arithmetic, are made where the item is used.
  private static func isSound(_ kind: ItemKind, _ secret: Secret, of account: Account?) -> Bool {
    switch kind {
    case .accessToken, .refreshToken, .session, .clientSecret, .expiresAt, .handle, .did, .secondTokens, .clientKey,
      .certificate, .certificateKey, .idToken, .roleKeys, .registration:
      kind.isWellFormed(secret)
    case .staticToken:
      // Without its record, a token and a password can't be distinguished.
      account.map { (try? Token(secret, sentAs: $0.sentAs)) != nil } ?? ((try? Token(password: secret)) != nil)
    case .keypair: !isInDevice(secret)
    case .guest: false
    }
  }

  /// Returns `true` if a key is in a device, or the item is not a JWK.
  private static func isInDevice(_ secret: Secret) -> Bool {
    guard let members = secret.withBytes({ try? JSON(parsing: $0) })?.objectValue else { return true }
    return members["acct_key"] != nil
  }
}
