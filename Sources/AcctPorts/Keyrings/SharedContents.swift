package import AcctModel
package import Secrets

/// A decrypted object of an account on an engine: untrusted input until it is checked.
///
/// Each machine that has the keyring's key, or had it, can write anything into an object.
package struct SharedContents: Sendable {
  /// The account that the object's key names.
  package var id: AccountID
  package var name: AccountName?
  /// The contents of the account's file.
  package var record: [UInt8]
  package var items: [ItemKind: Secret]

  package init(id: AccountID, name: AccountName?, record: [UInt8], items: [ItemKind: Secret]) {
    self.id = id
    self.name = name
    self.record = record
    self.items = items
  }
}

/// The rules for the contents of an account's object on a shared keyring; returns the first violation.
package typealias SharedCheck = @Sendable (SharedContents) -> SharedDamage?

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
