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

extension PKCS11URI {
  private static let limit = 4096

  /// Reads a URI strictly (RFC 7512, section 2.3).
  init(parsing text: String) throws(PKCS11URIFlaw) {
    self.init()
    guard text.hasPrefix(Self.scheme) else { throw .otherScheme }
    guard text.utf8.count <= Self.limit else { throw .malformed }
    let rest = text.utf8.dropFirst(Self.scheme.utf8.count)
    let question = rest.firstIndex(of: UInt8(ascii: "?"))
    let path = rest[..<(question ?? rest.endIndex)]
    let query = question.map { rest[rest.index(after: $0)...] }
    // The PIN first: no other flaw may lead to a message, and with it to a second try, before this one.
    let attributes =
      split(path, at: ";").map { (Place.path, $0) }
      + (query.map { split($0, at: "&") } ?? []).map { (Place.query, $0) }
    // Also with a wrong separator, or none: the text contains the PIN all the same.
    let pieces = rest.split { ";&?".utf8.contains($0) }
    guard !pieces.contains(where: namesPIN), !mentionsPIN(rest) else { throw .pinValue }
    var seen: Set<String> = []
    for (place, attribute) in attributes {
      guard let equals = attribute.firstIndex(of: UInt8(ascii: "=")) else { throw .malformed }
      let name = try self.name(attribute[..<equals])
      // First of all: a value that only the query may have would hide that its name is misplaced.
      if place == .path, !Self.pathNames.contains(name) { throw .unknownAttribute(name) }
      let value = try decoded(attribute[attribute.index(after: equals)...], in: place)
      let isKnown = try place == .path ? setPath(name, value) : setQuery(name, value)
      guard isKnown else { continue }
      guard seen.insert(name).inserted else { throw .repeatedAttribute(name) }
    }
  }

  private enum Place { case path, query }

  /// The attributes that ``setPath(_:_:)`` sets.
  private static let pathNames: Set<String> = [
    "token", "manufacturer", "model", "serial", "slot-id", "object", "id", "type",
  ]

  /// The parts; none of an empty text.
  private func split(_ bytes: Substring.UTF8View, at separator: Unicode.Scalar) -> [Substring.UTF8View] {
    guard !bytes.isEmpty else { return [] }
    return bytes.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
  }

  /// Returns `true` if an attribute is `pin-value`, in any case or percent-encoding.
  private func namesPIN(_ attribute: Substring.UTF8View) -> Bool {
    let name = attribute.prefix { $0 != UInt8(ascii: "=") }
    return mentionsPIN(name)
  }

  private func mentionsPIN(_ part: Substring.UTF8View) -> Bool {
    let decoded = percentDecoded(part) ?? Array(part)
    return String(decoding: decoded, as: UTF8.self).lowercased().contains("pin-value")
  }

  /// The name of an attribute: lower-case letters, digits, `-` and `_` (pk11-attr, pk11-v-attr-nm).
  private func name(_ bytes: Substring.UTF8View) throws(PKCS11URIFlaw) -> String {
    let isName = bytes.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
    guard isName, !bytes.isEmpty, bytes.count <= 64 else { throw .malformed }
    return String(Substring(bytes))
  }

  /// A value without its percent encoding; every other character must be one of pk11-pchar or pk11-qchar.
  private func decoded(_ bytes: Substring.UTF8View, in place: Place) throws(PKCS11URIFlaw) -> [UInt8] {
    let allowed = place == .path ? ":[]@!$'()*+,=&-._~%" : ":[]@!$'()*+,=/?|-._~%"
    let isPlain = bytes.allSatisfy { $0.isASCIIAlphanumeric || allowed.utf8.contains($0) }
    guard isPlain, let decoded = percentDecoded(bytes) else { throw .malformed }
    return decoded
  }

  /// Sets an attribute of the path; `false` if there is none of that name.
  private mutating func setPath(_ name: String, _ value: [UInt8]) throws(PKCS11URIFlaw) -> Bool {
    switch name {
    case "token": token = try text(value, name)
    case "manufacturer": manufacturer = try text(value, name)
    case "model": model = try text(value, name)
    case "serial": serial = try text(value, name)
    case "object": object = try text(value, name)
    case "slot-id":
      let digits = try text(value, name)
      guard digits.utf8.allSatisfy(\.isASCIIDigit), let number = UInt64(digits)
      else { throw .wrongValue(name) }
      slotID = number
    case "id":
      guard !value.isEmpty else { throw .wrongValue(name) }
      id = value
    case "type": guard try ["private", "public"].contains(text(value, name)) else { throw .wrongValue(name) }
    default: return false
    }
    return true
  }

  /// Sets an attribute of the query; `false` if there is none of that name.
  private mutating func setQuery(_ name: String, _ value: [UInt8]) throws(PKCS11URIFlaw) -> Bool {
    switch name {
    case "module-path":
      let path = try text(value, name)
      guard path.hasPrefix("/") else { throw .wrongValue(name) }
      modulePath = path
    case "module-name":
      let module = try text(value, name)
      guard !module.isEmpty, !module.contains("/") else { throw .wrongValue(name) }
      moduleName = module
    case "pin-source":
      var path = try text(value, name)
      guard !path.hasPrefix("|") else { throw .pinProgram }
      if path.hasPrefix("file:") { path.removeFirst(5) }
      if path.hasPrefix("///") { path.removeFirst(2) }
      // The text after two slashes is a host.
      guard path.hasPrefix("/"), !path.hasPrefix("//") else { throw .wrongValue(name) }
      pinFile = path
    default: return false
    }
    return true
  }

  /// Text without a NUL, at which C would cut it.
  private func text(_ bytes: [UInt8], _ name: String) throws(PKCS11URIFlaw) -> String {
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else { throw .wrongValue(name) }
    return text
  }
}
