/// The text of a `mimeapps.list`, changed by one association and back (freedesktop.org's
/// "Association between MIME types and applications").
///
/// Ours goes first in an existing list: when it is removed, or its desktop entry is missing, the
/// previous default applies again.
struct MimeApps {
  private(set) var text: String

  init(_ text: String) { self.text = text }

  private static let section = "[Default Applications]"

  /// Puts a desktop entry first among those that open a type.
  mutating func prefer(_ entry: String, for type: String) {
    remove(entry)
    var lines = lines
    guard let header = lines.firstIndex(where: { $0.trimmed == Self.section }) else {
      let gap = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
      text += "\(gap)\(Self.section)\n\(type)=\(entry);\n"
      return
    }
    let end = lines[(header + 1)...].firstIndex { $0.trimmed.hasPrefix("[") } ?? lines.endIndex
    if let found = lines[header..<end].firstIndex(where: { $0.key == type }) {
      lines[found] = "\(type)=\(([entry] + lines[found].entries).joined(separator: ";"));"
    } else {
      lines.insert("\(type)=\(entry);", at: header + 1)
    }
    text = lines.joined(separator: "\n")
  }

  /// Removes a desktop entry from every list; a list that had nothing else is removed with it.
  mutating func remove(_ entry: String) {
    text = lines.compactMap { line in
      guard line.entries.contains(entry), let key = line.key else { return line }
      let rest = line.entries.filter { $0 != entry }
      return rest.isEmpty ? nil : "\(key)=\(rest.joined(separator: ";"));"
    }.joined(separator: "\n")
  }

  /// `true` if it has nothing but blank lines and the section's header.
  var isVoid: Bool { lines.allSatisfy { $0.trimmed.isEmpty || $0.trimmed == Self.section } }

  private var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
}

extension String {
  fileprivate var key: String? {
    guard !trimmed.hasPrefix("#"), let mark = firstIndex(of: "=") else { return nil }
    return String(self[..<mark]).trimmed
  }

  fileprivate var entries: [String] {
    guard key != nil, let mark = firstIndex(of: "=") else { return [] }
    return self[mark...].dropFirst().split(separator: ";").map { String($0).trimmed }.filter { !$0.isEmpty }
  }

  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
  }
}
