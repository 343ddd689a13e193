package import AcctModel
package import AcctPorts
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
