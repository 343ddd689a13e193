import AcctProtocol
package import Secrets
import StrictJSON

/// The credential helpers in docker's `config.json`, which podman, skopeo and buildah read, too.
package enum DockerConfig {
  /// Has docker ask acct, for one registry or for all that have no helper of their own.
  ///
  /// - Parameters:
  ///   - host: The registry with its port, as docker writes it; `nil` for all.
  ///   - contents: The file; `nil` if there is none.
  /// - Returns: The changed file; `nil` if docker asks acct already.
  /// - Throws: ``SettingsFlaw``.
  package static func adding(_ host: String?, to contents: Secret?) throws(SettingsFlaw) -> EditedSettings? {
    let contents = contents.flatMap { $0.isBlank ? nil : $0 } ?? Secret("{}\n")
    return try contents.withBytes { bytes throws(SettingsFlaw) in
      let edit = try JSONEdit(bytes)
      let current = try value(of: host, edit, bytes)
      guard current != acct else { return nil }
      let splice =
        if let host { try edit.setting(host, in: helpers, to: acct.asJSON) } else {
          edit.setting(store, to: acct.asJSON)
        }
      let change = SettingChange(host.map { "\(helpers).\($0)" } ?? store, acct, replacing: current)
      return EditedSettings(bytes.spliced(splice), [change])
    }
  }

  /// Takes back a change in a file that was written since.
  ///
  /// - Returns: The changed file; `nil` if docker does not ask acct any more.
  package static func removing(_ change: SettingChange, from contents: Secret) throws(SettingsFlaw) -> Secret? {
    let prefix = "\(helpers)."
    let host = change.name.hasPrefix(prefix) ? String(change.name.dropFirst(prefix.count)) : nil
    guard !contents.isBlank else { return nil }
    return try contents.withBytes { bytes throws(SettingsFlaw) in
      let edit = try JSONEdit(bytes)
      guard try value(of: host, edit, bytes) == acct else { return nil }
      if let replaced = change.replaced {
        let splice =
          if let host { try edit.setting(host, in: helpers, to: replaced.asJSON) } else {
            edit.setting(store, to: replaced.asJSON)
          }
        return bytes.spliced(splice)
      }
      guard let host, let place = edit[helpers] else { return edit.removing(store).map { bytes.spliced($0) } }
      let inner = try JSONEdit(bytes, at: place.value.lowerBound)
      let splice = inner.count == 1 ? edit.removing(helpers) : inner.removing(host)
      return splice.map { bytes.spliced($0) }
    }
  }

  /// The servers whose logins docker keeps in the file itself, where it does not look once a helper has them.
  package static func logins(in contents: Secret) -> [String] {
    let json = try? contents.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    return (json?.objectValue?["auths"]?.objectValue ?? [:]).compactMap { member in
      let isKept = ["auth", "identitytoken", "password"].contains {
        member.value.objectValue?[$0]?.stringValue?.isEmpty == false
      }
      return isKept ? member.name : nil
    }
  }

  /// The registries that have a helper of their own.
  package static func ownHelpers(in contents: Secret) -> [String] {
    let json = try? contents.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    return (json?.objectValue?[helpers]?.objectValue ?? [:]).map(\.name)
  }

  private static let acct = "acct"
  private static let store = "credsStore"
  private static let helpers = "credHelpers"

  /// The helper that is set; an empty name is none.
  private static func value(
    of host: String?,
    _ edit: JSONEdit,
    _ bytes: Span<UInt8>
  ) throws(SettingsFlaw) -> String? {
    guard let outer = edit[host == nil ? store : helpers] else { return nil }
    let json: JSON
    do { json = try JSON(parsing: bytes.extracting(outer.value)) } catch { throw .notJSON }
    var value = json
    if let host {
      guard let object = json.objectValue else { throw .form(helpers) }
      guard let helper = object[host] else { return nil }
      value = helper
    }
    guard let name = value.stringValue else { throw .form(host == nil ? store : helpers) }
    return name.isEmpty ? nil : name
  }
}

extension Secret {
  /// `true` if there is nothing but white space.
  var isBlank: Bool {
    withBytes { bytes in bytes.indices.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains(bytes[$0]) } }
  }
}

/// Changes of one member in a JSON text; white space and every other member stay as they are.
struct JSONEdit {
  private let bytes: [UInt8]
  private let places: JSONPlaces

  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - start: The position of the object that is changed.
  /// - Throws: ``SettingsFlaw/notJSON``.
  init(_ bytes: Span<UInt8>, at start: Int = 0) throws(SettingsFlaw) {
    do { places = try JSONPlaces(parsing: bytes, at: start) } catch { throw .notJSON }
    self.bytes = bytes.bytes(0..<bytes.count)
  }

  subscript(name: String) -> JSONPlaces.Member? { places[name] }

  var count: Int { places.members.count }

  /// Sets a member to a JSON text; a new one comes last, laid out as the one before it.
  func setting(_ name: String, to value: String) -> Splice {
    let quoted = name.asJSON
    if let member = places[name] { return Splice(member.value, value) }
    guard let last = places.members.last else {
      return Splice(places.object, "{\(indent)\(quoted): \(value)\(outdent)}")
    }
    let colon = String(decoding: bytes[last.nameRange.upperBound..<last.value.lowerBound], as: UTF8.self)
    return Splice(at: last.value.upperBound, ",\(lead)\(quoted)\(colon)\(value)")
  }

  /// Sets a member of an object that is a member, both made if they are missing.
  func setting(_ name: String, in object: String, to value: String) throws(SettingsFlaw) -> Splice {
    if let member = places[object] {
      guard bytes[member.value.lowerBound] == UInt8(ascii: "{") else { throw .form(object) }
      return try JSONEdit(bytes.span, at: member.value.lowerBound).setting(name, to: value)
    }
    let isFolded = lead.contains(where: \.isNewline)
    let (start, end) = isFolded ? (lead + step, lead) : ("", "")
    return setting(object, to: "{\(start)\(name.asJSON): \(value)\(end)}")
  }

  /// Takes a member out, with the comma that goes with it.
  func removing(_ name: String) -> Splice? {
    guard let index = places.members.firstIndex(where: { $0.name == name }) else { return nil }
    let member = places.members[index]
    if index > 0 { return Splice(places.members[index - 1].value.upperBound..<member.value.upperBound, "") }
    guard places.members.count > 1 else { return Splice(places.object, "{}") }
    return Splice(member.nameRange.lowerBound..<places.members[1].nameRange.lowerBound, "")
  }

  /// The white space before the last member, or before the first of an object that has none.
  private var lead: String { places.members.last.map { space(before: $0.nameRange.lowerBound) } ?? indent }
  private var indent: String { outdent + step }
  /// The line's end and the white space before the object's own line.
  private var outdent: String {
    let line = bytes[..<places.object.lowerBound].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let space = bytes[line...].prefix { $0 == 0x20 || $0 == 0x09 }
    return "\n" + String(decoding: space, as: UTF8.self)
  }
  /// The indentation of one level, as the text's first member has it; docker's own is a tab.
  private var step: String {
    let space = space(before: bytes.firstIndex(of: UInt8(ascii: "\"")) ?? 0)
    guard let last = space.last, !last.isNewline, space.contains(where: \.isNewline) else { return "\t" }
    return String(space.reversed().prefix { !$0.isNewline }.reversed())
  }

  private func space(before position: Int) -> String {
    let start = bytes[..<position].lastIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.map { $0 + 1 } ?? 0
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
}

extension String {
  /// The text as a string of JSON.
  var asJSON: String { String(decoding: JSON.string(self).serialized(), as: UTF8.self) }
}
