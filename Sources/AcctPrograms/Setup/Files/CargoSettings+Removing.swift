package import Secrets

extension CargoSettings {
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
