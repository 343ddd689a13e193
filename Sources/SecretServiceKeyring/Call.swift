import AcctModel

/// A method call to the provider, and the D-Bus signature that its answer must have.
///
/// The methods are those of the freedesktop Secret Service API draft 0.2.
struct Call {
  let path: String
  let interface: String
  let method: String
  let arguments: Variant?
  let answer: String

  private static let servicePath = "/org/freedesktop/secrets"
  private static let service = "org.freedesktop.Secret.Service"
  private static let collection = "org.freedesktop.Secret.Collection"
  private static let item = "org.freedesktop.Secret.Item"

  /// Opens a session that carries secrets as they are; it ends with the connection.
  static var openSession: Call {
    onService("OpenSession", .structure(.string("plain"), .variant(.string(""))), answer: "(vo)")
  }

  /// Finds items by attributes; answers with the unlocked and the locked ones.
  static func search(_ attributes: Variant) -> Call {
    onService("SearchItems", .structure(attributes), answer: "(aoao)")
  }

  /// Asks which collection is the default one; answers `/` if there is none.
  static var defaultCollection: Call {
    onService("ReadAlias", .structure(.string("default")), answer: "(o)")
  }

  /// Gets the secrets of unlocked items; leaves out what is locked or gone.
  static func secrets(of items: [String], session: String) -> Call {
    onService("GetSecrets", .structure(.paths(items), .path(session)), answer: "(a{o(oayays)})")
  }

  /// Unlocks items or collections; answers with those done at once and a prompt for the others.
  static func unlock(_ objects: [String]) -> Call {
    onService("Unlock", .structure(.paths(objects)), answer: "(aoo)")
  }

  /// Creates the default collection; answers with it, or with a prompt.
  static func createDefaultCollection(label: String) -> Call {
    onService(
      "CreateCollection",
      .structure(.values(["\(collection).Label": .string(label)]), .string("default")),
      answer: "(oo)"
    )
  }

  /// Stores an item in place of one with the same attributes; answers with it, or with a prompt.
  static func createItem(
    in path: String,
    label: String,
    attributes: Variant,
    session: String,
    bytes: Variant
  ) -> Call {
    Call(
      path: path,
      interface: collection,
      method: "CreateItem",
      arguments: .structure(
        .values(["\(item).Label": .string(label), "\(item).Attributes": attributes]),
        .structure(.path(session), .bytes(Secret("")), bytes, .string("text/plain")),
        .boolean(true)
      ),
      answer: "(oo)"
    )
  }

  /// Deletes an item; answers with a prompt, or with `/` if it is done.
  static func delete(_ path: String) -> Call {
    Call(path: path, interface: item, method: "Delete", arguments: nil, answer: "(o)")
  }

  /// Takes back a prompt that has not been shown.
  static func dismiss(_ prompt: String) -> Call {
    Call(
      path: prompt,
      interface: "org.freedesktop.Secret.Prompt",
      method: "Dismiss",
      arguments: nil,
      answer: "()"
    )
  }

  /// Whether a collection is locked.
  static func isLocked(_ path: String) -> Call { property("Locked", of: path, collection) }

  /// Which items a collection has, as far as its lock shows them.
  static func items(_ path: String) -> Call { property("Items", of: path, collection) }

  /// An item's attributes.
  static func attributes(_ path: String) -> Call { property("Attributes", of: path, item) }

  /// When an item was last changed, in seconds since 1970.
  static func modified(_ path: String) -> Call { property("Modified", of: path, item) }

  private static func onService(_ method: String, _ arguments: Variant, answer: String) -> Call {
    Call(
      path: servicePath,
      interface: service,
      method: method,
      arguments: arguments,
      answer: answer
    )
  }

  private static func property(_ name: String, of path: String, _ interface: String) -> Call {
    Call(
      path: path,
      interface: "org.freedesktop.DBus.Properties",
      method: "Get",
      arguments: .structure(.string(interface), .string(name)),
      answer: "(v)"
    )
  }
}
