import AcctModel
import StrictJSON

/// Typed access to the members of a provider's file; `null` is the same as not there.
struct ProviderMembers {
  private let object: JSONObject
  private let path: String

  /// In bytes, of one string.
  static let longest = 2048
  /// The most elements of a list, and members of an object.
  static let most = 64

  /// Takes an object whose members must all be known.
  init(_ object: JSONObject, at path: String = "", known: [String]?) throws(ProviderFlaw) {
    self.object = object
    self.path = path
    guard object.count <= Self.most else { throw ProviderFlaw(path, .tooLong(limit: Self.most)) }
    for name in object.names {
      try Self.check(name, at: path)
      guard known?.contains(name) ?? true else { throw ProviderFlaw(Self.joined(path, name), .unknownMember) }
    }
  }

  private static func joined(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// The path of a member.
  func path(of name: String) -> String { Self.joined(path, name) }

  private static func check(_ text: String, at path: String) throws(ProviderFlaw) {
    guard text.utf8.count <= longest else { throw ProviderFlaw(path, .tooLong(limit: longest)) }
    guard printable(text) == text else { throw ProviderFlaw(path, .unprintable) }
  }

  private func value(_ name: String) -> JSON? {
    guard let value = object[name], value != .null else { return nil }
    return value
  }

  private func text(_ value: JSON, at path: String) throws(ProviderFlaw) -> String {
    guard let text = value.stringValue else { throw ProviderFlaw(path, .wrongType(.string)) }
    try Self.check(text, at: path)
    guard !text.isEmpty else { throw ProviderFlaw(path, .malformed) }
    return text
  }

  func string(_ name: String) throws(ProviderFlaw) -> String? {
    guard let value = value(name) else { return nil }
    return try text(value, at: path(of: name))
  }

  func flag(_ name: String) throws(ProviderFlaw) -> Bool {
    guard let value = value(name) else { return false }
    guard let flag = value.boolValue else { throw ProviderFlaw(path(of: name), .wrongType(.boolean)) }
    return flag
  }

  /// One of a few words.
  func choice<Word: RawRepresentable<String> & CaseIterable>(_ name: String) throws(ProviderFlaw) -> Word? {
    guard let text = try string(name) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw ProviderFlaw(path(of: name), .notOneOf(Word.allCases.map(\.rawValue)))
    }
    return word
  }

  func list(_ name: String) throws(ProviderFlaw) -> [String]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.arrayValue else { throw ProviderFlaw(path(of: name), .wrongType(.array)) }
    guard elements.count <= Self.most else { throw ProviderFlaw(path(of: name), .tooLong(limit: Self.most)) }
    var texts: [String] = []
    for element in elements { texts.append(try text(element, at: path(of: name))) }
    return texts
  }

  /// An object within this one; `known: nil` where its names are the file's own.
  func members(_ name: String, known: [String]?) throws(ProviderFlaw) -> ProviderMembers? {
    guard let value = value(name) else { return nil }
    guard let object = value.objectValue else { throw ProviderFlaw(path(of: name), .wrongType(.object)) }
    return try ProviderMembers(object, at: path(of: name), known: known)
  }

  /// The names, in the order of the file.
  var names: [String] { object.names }

  /// Reads a text by a parser of its own.
  func parsed<Value>(_ name: String, _ parse: (String) throws(ParseError) -> Value) throws(ProviderFlaw) -> Value? {
    guard let text = try string(name) else { return nil }
    do { return try parse(text) } catch { throw ProviderFlaw(path(of: name), .init(error)) }
  }
}

extension ProviderFlaw.Problem {
  /// The problem with a text that another parser rejects.
  init(_ error: ParseError) {
    if case .refusedURL(let refusal) = error {
      self = .refused(refusal)
    } else {
      self = .malformed
    }
  }
}
