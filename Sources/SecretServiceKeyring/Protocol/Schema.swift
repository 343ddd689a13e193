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

  /// The attributes that an item is found by.
  ///
  /// Not by the schema's name: until GNOME Keyring is unlocked for the first time, it takes every
  /// item's for `org.freedesktop.Secret.Generic`, and would answer "not there". A key is one
  /// account's and one kind's alone.
  static func identity(_ account: AccountID, _ kind: ItemKind) -> Attributes {
    [("account", account.description), ("key", kind.key(for: account))]
  }

  /// The attributes that an item is stored with, and by which it takes precedence over copies of it.
  static func attributes(_ account: AccountID, _ kind: ItemKind, _ precedence: Precedence) -> Attributes {
    common + identity(account, kind) + precedence.attributes
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

/// The order of items that exist more than once, in several collections, since their default changed.
///
/// acct writes to the default collection alone. Copies elsewhere stay, and may be locked for good. An item without the
/// attribute is the first.
struct Precedence: Comparable {
  private static let attribute = "sequence"
  private static let removal = "removed-"

  /// Its place among the copies: a higher one is newer.
  var sequence: UInt64 = 0
  /// `true` if it says only that the item was removed, since a copy could not be.
  var isRemoval = false

  /// Reads it from an item's attributes, which a locked collection may hide.
  init(of attributes: Attributes) {
    // An item without copies has acct's three attributes.
    guard attributes.count > 3, let value = attributes.value(of: Self.attribute) else { return }
    isRemoval = value.hasPrefix(Self.removal)
    sequence = UInt64(isRemoval ? value.dropFirst(Self.removal.utf8.count) : value[...]) ?? 0
  }

  /// The first, or the one after others.
  init(after others: [Precedence] = [], isRemoval: Bool = false) {
    sequence = others.map(\.sequence).max().map { $0 &+ 1 } ?? 0
    self.isRemoval = isRemoval
  }

  var attributes: Attributes {
    sequence == 0 ? [] : [(Self.attribute, (isRemoval ? Self.removal : "") + String(sequence))]
  }

  static func < (left: Precedence, right: Precedence) -> Bool { left.sequence < right.sequence }
}
