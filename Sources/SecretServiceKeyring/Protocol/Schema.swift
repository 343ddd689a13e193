import AcctModel
import AcctPorts

/// The attributes of an item in the provider's store, where any program may read it while it is unlocked.
///
/// Some providers keep attributes readable while locked, so neither they nor the label name the
/// identity.
enum Schema {
  /// The attribute in which libsecret, and with it every provider, keeps a schema's name.
  private static let attribute = "xdg:schema"
  private static let name = "dev.acct.Credential"

  /// The attributes that all of acct's items have; see ``identity(_:_:)`` for when a search by them fails.
  static var common: Attributes { [(attribute, name)] }

  /// The attributes that an item is stored with.
  static func attributes(_ account: AccountID, _ kind: ItemKind) -> Attributes { common + identity(account, kind) }

  /// The attributes that an item is found by.
  ///
  /// Not by the schema's name: until GNOME Keyring is unlocked for the first time, it takes every
  /// item's for `org.freedesktop.Secret.Generic`, and would answer "not there". A key is one
  /// account's and one kind's alone.
  static func identity(_ account: AccountID, _ kind: ItemKind) -> Attributes {
    [("account", account.description), ("key", kind.key(for: account))]
  }

  /// The attributes that an item is stored with where there are copies of it, which it takes precedence over.
  static func attributes(_ account: AccountID, _ kind: ItemKind, _ precedence: Precedence) -> Attributes {
    attributes(account, kind) + precedence.attributes
  }

  /// The attributes that all items of an account are found by.
  static func identity(_ account: AccountID) -> Attributes { [("account", account.description)] }

  static func label(_ account: AccountID, _ kind: ItemKind) -> String { "acct: \(kind.key(for: account))" }

  /// The account and the kind that the attributes of one of acct's items name.
  ///
  /// Returns `nil` where they cannot be read: GNOME Keyring has only their MD5 until a keyring is
  /// unlocked for the first time, under names of its own.
  static func parse(_ attributes: Attributes) -> (account: AccountID, kind: ItemKind)? {
    guard let key = attributes.value(of: "key"), let (account, kind) = ItemKind.parse(key),
      isOwn(attributes), names(attributes, account, kind)
    else { return nil }
    return (account, kind)
  }

  /// `true` if an item is acct's, and not another program's with attributes of the same names.
  static func isOwn(_ attributes: Attributes) -> Bool { attributes.value(of: attribute) == name }

  /// `true` if an item's attributes name this account and this kind.
  static func names(_ attributes: Attributes, _ account: AccountID, _ kind: ItemKind) -> Bool {
    identity(account, kind).allSatisfy { attributes.value(of: $0.name) == $0.value }
  }
}

extension Attributes {
  /// The value of an attribute; `nil` unless there is exactly one.
  func value(of name: String) -> String? {
    let values = filter { $0.name == name }
    return values.count == 1 ? values.first?.value : nil
  }
}
