package import AcctModel
import AcctProtocol
package import Secrets

/// The credential providers in cargo's `config.toml`.
package enum CargoConfig {
  /// Has cargo ask acct, for the registries at one origin or for all that have no provider of their own.
  ///
  /// - Parameters:
  ///   - origin: The origin of the registries' indexes; `nil` for all registries.
  ///   - contents: The file; `nil` if there is none.
  /// - Returns: The changed file; `nil` if cargo asks acct already.
  /// - Throws: ``SettingsFlaw``.
  package static func adding(_ origin: Origin?, to contents: Secret?) throws(SettingsFlaw) -> EditedSettings? {
    var contents = contents ?? Secret("")
    guard let origin else { return try addingToAll(contents) }
    var changes: [SettingChange] = []
    for name in try registries(at: origin, in: contents) {
      guard let edited = try adding(toRegistry: name, contents) else { continue }
      contents = edited.contents
      changes += edited.changes
    }
    return changes.isEmpty ? nil : EditedSettings(contents, changes)
  }

  static let provider = "cargo-credential-acct"
  private static let standard = "\"cargo:token\""
  static let global = "global-credential-providers"
  private static let own = "credential-provider"
  private static let ownValue = "[\"\(provider)\"]"

  private static func addingToAll(_ contents: Secret) throws(SettingsFlaw) -> EditedSettings? {
    try contents.withBytes { bytes throws(SettingsFlaw) in
      let outline = try TOMLOutline(bytes)
      var change = SettingChange("registry.\(global)", "[\(standard), \"\(provider)\"]")
      let line = "\(global) = \(change.value)\n"
      let splice: Splice
      if let entry = outline["registry", global] {
        guard let elements = TOMLOutline.strings(entry.value, bytes) else { throw .form(change.name) }
        guard !elements.contains(where: { isAcct($0.value) }) else { return nil }
        splice = appending(elements.last?.place, in: entry.value, bytes)
        change.replaced = bytes.string(entry.value)
        change.value = "[" + (elements.map(\.value) + [provider]).map { "\"\($0)\"" }.joined(separator: ", ") + "]"
      } else if outline["registry"] != nil {
        throw .form("registry")
      } else if let table = outline.tables.first(where: { $0.keys == ["registry"] }) {
        splice = inserting(line, at: table.line.upperBound, bytes)
      } else if let entry = outline.entries.last(where: { $0.keys.first == "registry" && $0.isOutermost(outline) }) {
        splice = inserting("registry.\(line)", at: entry.line.upperBound, bytes)
      } else {
        splice = inserting((bytes.count > 0 ? "\n" : "") + "[registry]\n\(line)", at: bytes.count, bytes)
      }
      return EditedSettings(bytes.spliced(splice), [change])
    }
  }

  private static func adding(toRegistry name: String, _ contents: Secret) throws(SettingsFlaw) -> EditedSettings? {
    try contents.withBytes { bytes throws(SettingsFlaw) in
      let outline = try TOMLOutline(bytes)
      var change = SettingChange("registries.\(name).\(own)", ownValue)
      if let entry = outline["registries", name, own] {
        guard !asksAcct(entry, bytes) else { return nil }
        change.replaced = bytes.string(entry.value)
        return EditedSettings(bytes.spliced(Splice(entry.value, ownValue)), [change])
      }
      guard let index = outline["registries", name, "index"] else { return nil }
      let line = "\(bytes.string(index.key.lowerBound..<index.lastPart))\(own) = \(ownValue)"
      let indent = bytes.string(index.line.lowerBound..<index.key.lowerBound)
      let splice =
        index.isInline
        ? Splice(at: index.line.upperBound, ", \(line)")
        : inserting("\(indent)\(line)\n", at: index.line.upperBound, bytes)
      return EditedSettings(bytes.spliced(splice), [change])
    }
  }

  /// The settings by which registries have other providers than acct.
  package static func otherProviders(in contents: Secret) -> [String] {
    contents.withBytes { bytes in
      let entries = (try? TOMLOutline(bytes))?.entries ?? []
      return entries.filter { entry in
        guard entry.keys.count == 3, entry.keys[0] == "registries", entry.keys[2] == own else { return false }
        return !asksAcct(entry, bytes)
      }.map { $0.keys.joined(separator: ".") }
    }
  }

  /// The registries whose index is at an origin.
  private static func registries(at origin: Origin, in contents: Secret) throws(SettingsFlaw) -> [String] {
    let names = try contents.withBytes { bytes throws(SettingsFlaw) in
      try TOMLOutline(bytes).entries.compactMap { entry -> String? in
        guard entry.keys.count == 3, entry.keys[0] == "registries", entry.keys[2] == "index",
          let index = TOMLOutline.string(entry.value, bytes)
        else { return nil }
        let address = index.hasPrefix("sparse+") ? String(index.dropFirst(7)) : index
        return (try? HTTPURL(address))?.origin == origin ? entry.keys[1] : nil
      }
    }
    guard !names.isEmpty else { throw .unknownHost }
    return names
  }

  /// Adds the provider behind the last element, laid out as that is: cargo asks the last one first.
  private static func appending(_ last: Range<Int>?, in array: Range<Int>, _ bytes: Span<UInt8>) -> Splice {
    guard let last else { return Splice(array, ownValue) }
    var start = last.lowerBound
    while [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start - 1]) { start -= 1 }
    let space = bytes.string(start..<last.lowerBound)
    let lead = space.contains(where: \.isNewline) ? space : " "
    return Splice(at: last.upperBound, ",\(lead)\"\(provider)\"")
  }

  /// Inserts whole lines; the file's last line may have no end.
  private static func inserting(_ lines: String, at position: Int, _ bytes: Span<UInt8>) -> Splice {
    let needsEnd = position > 0 && bytes[position - 1] != 0x0A
    return Splice(at: position, (needsEnd ? "\n" : "") + lines)
  }

  /// Returns `true` if the provider of an entry, or one of its providers, is acct.
  private static func asksAcct(_ entry: TOMLOutline.Entry, _ bytes: Span<UInt8>) -> Bool {
    let words = TOMLOutline.strings(entry.value, bytes)?.map(\.value) ?? [TOMLOutline.string(entry.value, bytes) ?? ""]
    return words.contains(where: isAcct)
  }

  static func isAcct(_ provider: String) -> Bool {
    provider.split(separator: " ").first?.split(separator: "/").last.map { $0 == Self.provider } ?? false
  }

  /// Takes back a change in a file that was written since.
  ///
  /// - Returns: The changed file; `nil` if cargo does not ask acct there any more.
  /// - Throws: ``SettingsFlaw/line(_:_:)``.
  package static func removing(_ change: SettingChange, from contents: Secret) throws(SettingsFlaw) -> Secret? {
    try contents.withBytes { bytes throws(SettingsFlaw) in
      let outline = try TOMLOutline(bytes)
      guard let entry = outline.entries.first(where: { $0.keys.joined(separator: ".") == change.name }) else {
        return nil
      }
      guard change.name != "registry.\(global)" else { return try removing(entry, change, outline, bytes) }
      guard TOMLOutline.strings(entry.value, bytes)?.map(\.value) == [provider] else { return nil }
      if let replaced = change.replaced { return bytes.spliced(Splice(entry.value, replaced)) }
      guard entry.isInline else { return bytes.spliced(Splice(entry.line, "")) }
      // The comma before it was added with it.
      var start = entry.line.lowerBound
      while start > 0, [0x20, 0x2C].contains(bytes[start - 1]) { start -= 1 }
      return bytes.spliced(Splice(start..<entry.line.upperBound, ""))
    }
  }

  private static func removing(
    _ entry: TOMLOutline.Entry,
    _ change: SettingChange,
    _ outline: TOMLOutline,
    _ bytes: Span<UInt8>
  ) throws(SettingsFlaw) -> Secret? {
    guard let elements = TOMLOutline.strings(entry.value, bytes),
      let index = elements.firstIndex(where: { isAcct($0.value) })
    else { return nil }
    if change.replaced == nil, elements.count == 2, elements[1 - index].value == "cargo:token", !entry.isInline {
      let table = outline.tables.first { $0.keys == ["registry"] }
      let isAlone = outline.entries.count { $0.keys.first == "registry" } == 1
      // A table that is left empty goes as well.
      guard isAlone, let table, table.line.upperBound == entry.line.lowerBound else {
        return bytes.spliced(Splice(entry.line, ""))
      }
      return bytes.spliced(Splice(table.line.lowerBound..<entry.line.upperBound, ""))
    }
    let place = elements[index].place
    if index > 0 { return bytes.spliced(Splice(elements[index - 1].place.upperBound..<place.upperBound, "")) }
    let end = elements.count > 1 ? elements[1].place.lowerBound : place.upperBound
    return bytes.spliced(Splice(place.lowerBound..<end, ""))
  }
}

extension TOMLOutline.Entry {
  /// `true` for one with dotted keys before the first table, where another key of the same kind can follow.
  fileprivate func isOutermost(_ outline: TOMLOutline) -> Bool {
    !isInline && outline.tables.allSatisfy { $0.line.lowerBound > line.lowerBound }
  }
}
