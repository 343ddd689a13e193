package import AcctModel
package import StrictJSON
import Text

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

  func value(_ name: String) -> JSON? {
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

/// The members of a provider's file that are more than a text.
extension ProviderMembers {
  /// A page whose fields its address fills in; `{redirect}` in it is the address to come back to.
  func page(_ name: String) throws(ProviderFlaw) -> ProviderAddress? {
    guard let text = try string(name) else { return nil }
    do { return try ProviderAddress(text.replacing("{redirect}", with: ProviderAddress.redirectMark)) } catch {
      throw ProviderFlaw(path(of: name), error)
    }
  }

  func address(
    _ name: String,
    allowing allowed: Set<ProviderAddress.Placeholder> = [.host, .tenant, .realm]
  ) throws(ProviderFlaw) -> ProviderAddress? {
    guard let text = try string(name) else { return nil }
    let address: ProviderAddress
    do { address = try ProviderAddress(text, allowing: allowed) } catch { throw ProviderFlaw(path(of: name), error) }
    // A query could name another client, another redirect address, or a code challenge.
    guard name == "registerAt" || !text.contains("?") else { throw ProviderFlaw(path(of: name), .malformed) }
    return address
  }

  func endpoints() throws(ProviderFlaw) -> [EndpointName: ProviderAddress] {
    let known = EndpointName.allCases.map(\.rawValue)
    guard let members = try members("endpoints", known: known) else { return [:] }
    var endpoints: [EndpointName: ProviderAddress] = [:]
    for name in EndpointName.allCases { endpoints[name] = try members.address(name.rawValue) }
    return endpoints
  }

  /// Origins: addresses without a path.
  func origins() throws(ProviderFlaw) -> [ProviderAddress] {
    var origins: [ProviderAddress] = []
    for text in try list("origins") ?? [] {
      let origin: ProviderAddress
      do { origin = try ProviderAddress(text, allowing: [.host]) } catch {
        throw ProviderFlaw(path(of: "origins"), error)
      }
      let sample = filling(text) { $0 == .host ? "host.invalid" : nil }
      guard (try? Origin(sample)) != nil else { throw ProviderFlaw(path(of: "origins"), .malformed) }
      origins.append(origin)
    }
    return origins
  }

  /// A text of visible ASCII characters.
  func visible(_ name: String) throws(ProviderFlaw) -> String? {
    let text = try string(name)
    guard text?.utf8.allSatisfy(\.isVisibleASCII) ?? true else {
      throw ProviderFlaw(path(of: name), .malformed)
    }
    return text
  }

  func scope() throws(ProviderFlaw) -> String? {
    let text = try string("scope")
    guard text?.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) ?? true else {
      throw ProviderFlaw(path(of: "scope"), .malformed)
    }
    return text
  }

  func separator() throws(ProviderFlaw) -> String {
    guard let text = try string("scopeSeparator") else { return " " }
    guard [" ", ","].contains(text) else { throw ProviderFlaw(path(of: "scopeSeparator"), .notOneOf([" ", ","])) }
    return text
  }

  func parameters(
    _ name: String,
    in place: RequestParameter.Place = .authorization
  ) throws(ProviderFlaw) -> [RequestParameter] {
    guard let members = try members(name, known: nil) else { return [] }
    var parameters: [RequestParameter] = []
    for name in members.names {
      let path = members.path(of: name)
      guard let value = try members.string(name) else { throw ProviderFlaw(path, .missing) }
      parameters.append(try parameter(name, value, at: path, in: place))
    }
    return parameters
  }

  func parameter(
    _ name: String,
    _ value: String,
    at path: String,
    in place: RequestParameter.Place = .authorization
  ) throws(ProviderFlaw) -> RequestParameter {
    do { return try RequestParameter(name: name, value: value, in: place) } catch .ownParameter {
      throw ProviderFlaw(path, .ownParameter)
    } catch {
      throw ProviderFlaw(path, .malformed)
    }
  }

  func defaults() throws(ProviderFlaw) -> ProviderPlace {
    var place = ProviderPlace()
    if let host = try string("host") {
      do { place.host = try ProviderPlace.host(host) } catch { throw ProviderFlaw(path(of: "host"), .malformed) }
    }
    if let tenant = try string("tenant") {
      do { place.tenant = try ProviderPlace.name(tenant) } catch { throw ProviderFlaw(path(of: "tenant"), .malformed) }
    }
    return place
  }
}

/// Why a provider's file can't be used: the member, and its problem.
///
/// No case carries a value of the file but the host of an address.
package struct ProviderFlaw: Error, Equatable, Sendable {
  /// The member's path, such as `endpoints.token`; empty for the file as a whole.
  package let member: String
  package let problem: Problem

  package init(_ member: String, _ problem: Problem) {
    self.member = member
    self.problem = problem
  }

  /// The problem with a member, or with the file as a whole.
  package enum Problem: Error, Equatable, Sendable {
    case json(JSONError)
    /// There is no such member; a misspelled one would be ignored unseen.
    case unknownMember
    case missing
    /// Another type than the one named.
    case wrongType(Expected)
    /// None of these words.
    case notOneOf([String])
    /// More bytes or elements than this.
    case tooLong(limit: Int)
    /// Characters that change or hide text on a screen.
    case unprintable
    case malformed
    /// An address that no credential may be sent to.
    case refused(ParseError.Refusal)
    /// An endpoint of another host than the provider's own, which is named here.
    case foreignHost(String)
    /// A placeholder that is not known, or that stands where it can't.
    case placeholder
    /// A parameter that the protocol has a meaning for.
    case ownParameter
  }

  /// A type of JSON.
  package enum Expected: String, Sendable { case object, array, string, boolean }
}
