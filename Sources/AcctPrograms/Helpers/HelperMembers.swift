import Secrets
import StrictJSON

/// The members of an object that a program wrote; unknown ones are ignored.
struct HelperMembers {
  private let object: JSONObject

  /// Reads one JSON text that is an object.
  ///
  /// - Throws: ``HelperFlaw/notJSON``, ``HelperFlaw/repeated(_:)``.
  init(_ input: Secret) throws(HelperFlaw) {
    let json: JSON
    do {
      json = try input.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    } catch {
      if case .duplicateMember(let name) = error { throw .repeated(name) }
      throw .notJSON
    }
    guard let object = json.objectValue else { throw .notJSON }
    self.object = object
  }

  private init(_ object: JSONObject) { self.object = object }

  /// Rejects an object that has other members, too.
  ///
  /// - Throws: ``HelperFlaw/value(_:)``, which names one of them.
  func allow(_ name: String) throws(HelperFlaw) {
    for other in object.names where other != name { throw .value(other) }
  }

  /// A text that must be there.
  ///
  /// - Throws: ``HelperFlaw/missing(_:)``, ``HelperFlaw/value(_:)``.
  func text(_ name: String) throws(HelperFlaw) -> String {
    guard let member = object[name] else { throw .missing(name) }
    guard let text = member.stringValue else { throw .value(name) }
    guard !text.isEmpty else { throw .missing(name) }
    return text
  }

  /// A whole number that must be there.
  ///
  /// - Throws: ``HelperFlaw/missing(_:)``, ``HelperFlaw/value(_:)``.
  func integer(_ name: String) throws(HelperFlaw) -> Int64 {
    guard let member = object[name] else { throw .missing(name) }
    guard let number = member.numberValue?.integer else { throw .value(name) }
    return number
  }

  /// A Boolean member; `false` if it is missing, or `null`.
  ///
  /// - Throws: ``HelperFlaw/value(_:)``.
  func flag(_ name: String) throws(HelperFlaw) -> Bool {
    guard let member = object[name], member != .null else { return false }
    guard let flag = member.boolValue else { throw .value(name) }
    return flag
  }

  /// An object that may be missing, or `null`.
  ///
  /// - Throws: ``HelperFlaw/value(_:)``.
  func members(_ name: String) throws(HelperFlaw) -> HelperMembers? {
    guard let member = object[name], member != .null else { return nil }
    guard let object = member.objectValue else { throw .value(name) }
    return HelperMembers(object)
  }
}
