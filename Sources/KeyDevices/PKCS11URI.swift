import Text

/// The name of a token, and of a key in it (RFC 7512).
///
/// An attribute that is `nil` matches everything. Of the attributes of the path, those of the library and of the
/// slot's description are not supported, and so refused: an attribute that is left out matches more.
package struct PKCS11URI: Hashable, Sendable {
  /// `token`: the token's label.
  package var token: String?
  package var manufacturer: String?
  package var model: String?
  package var serial: String?
  /// `slot-id`: the number that the module gives to the slot now; it may be another one tomorrow.
  package var slotID: UInt64?
  /// `object`: the key's label.
  package var object: String?
  /// `id`: the key's CKA_ID, which both halves of a key and its certificate have in common.
  package var id: [UInt8]?
  /// `module-path`: the absolute path of the module.
  package var modulePath: String?
  /// `module-name`: the module's file name without `lib` before it and `.so` behind it.
  package var moduleName: String?
  /// `pin-source`: the absolute path of a file with the PIN.
  package var pinFile: String?

  /// A URI that matches every key of every token.
  package init() {}

  /// Reads a URI.
  ///
  /// `type` may be `private` or `public`, which both name the same key. Attributes of the query that are not
  /// RFC 7512's are ignored, as its section 2.3 has it.
  ///
  /// - Throws: ``PKCS11URIFlaw``; a URI with `pin-value` is refused without repeating it.
  package init(_ text: String) throws(PKCS11URIFlaw) { try self.init(parsing: text) }

  /// The URI without anything secret, as it is kept; ``init(_:)`` reads it, and equal URIs have equal ones.
  package var description: String {
    var path: [String] = []
    for (name, value) in [
      ("token", token), ("manufacturer", manufacturer), ("model", model), ("serial", serial),
      ("slot-id", slotID.map { "\($0)" }), ("object", object),
    ] {
      if let value { path.append("\(name)=\(encoded(value, in: .path))") }
    }
    if let id { path.append("id=\(encoded(id))") }
    var query: [String] = []
    for (name, value) in [
      ("module-path", modulePath), ("module-name", moduleName), ("pin-source", pinFile.map { "file:\($0)" }),
    ] {
      if let value { query.append("\(name)=\(encoded(value, in: .query))") }
    }
    let question = query.isEmpty ? "" : "?\(query.joined(separator: "&"))"
    return "\(Self.scheme)\(path.joined(separator: ";"))\(question)"
  }

  static let scheme = "pkcs11:"
}

/// A flaw in the URI of a key in a token.
///
/// A case carries the name of an attribute only, never its value.
package enum PKCS11URIFlaw: Error, Equatable, Sendable {
  /// It does not begin with `pkcs11:`.
  case otherScheme
  /// It names the PIN itself, which other users of the machine may read from a command line.
  case pinValue
  /// It has `pin-source` with a program that prints the PIN.
  case pinProgram
  /// It is not of RFC 7512's grammar, or longer than 4096 bytes.
  case malformed
  /// An attribute of the path that RFC 7512 does not have, or by which acct does not select keys.
  case unknownAttribute(String)
  /// An attribute occurs twice.
  case repeatedAttribute(String)
  /// An attribute has a value that it can't have: not UTF-8, a relative path, no number, a type that is no key's.
  case wrongValue(String)
}

private enum Part { case path, query }

/// Percent-encodes all but the unreserved characters (RFC 3986, section 2.3) and those that keep a path readable.
private func encoded(_ text: String, in part: Part) -> String {
  percentEncoded(text) { $0.isUnreserved || part == .query && "/:".utf8.contains($0) }
}

/// Percent-encodes all bytes.
private func encoded(_ bytes: [UInt8]) -> String {
  String(decoding: bytes.reduce(into: [UInt8]()) { $0.append(percentEncoding: $1) }, as: UTF8.self)
}
