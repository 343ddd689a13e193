import AcctProtocol
package import Secrets

/// The `credential_process` of the profiles in AWS's configuration file.
package enum AWSConfig {
  package static let setting = "credential_process"

  /// The line of a profile's process.
  private struct Found {
    var value: String
    var line: Range<Int>
    var header: Range<Int>
    /// `true` if nothing else is in the profile.
    var isAlone: Bool
  }

  /// The process of a profile; `nil` if it has none.
  package static func process(of profile: String, in contents: Secret) -> String? {
    contents.withBytes { find(profile, $0)?.value }
  }

  /// Returns `true` if a file of credentials has keys of a profile, which come before any process.
  package static func hasKeys(_ profile: String, in contents: Secret) -> Bool {
    let lines = contents.shownText.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
    guard let head = lines.firstIndex(of: "[\(profile)]") else { return false }
    return lines[(head + 1)...].prefix { !$0.hasPrefix("[") }.contains { $0.hasPrefix("aws_access_key_id=") }
  }

  /// Takes a process out of a file that was written since, or puts the earlier one back.
  ///
  /// - Returns: The changed file; `nil` if the profile has another process.
  package static func removing(_ change: SettingChange, of profile: String, from contents: Secret) -> Secret? {
    contents.withBytes { bytes in
      guard let found = find(profile, bytes), found.value == change.value else { return nil }
      if let replaced = change.replaced {
        return bytes.spliced(Splice(found.line, "\(setting) = \(replaced)\n"))
      }
      guard found.isAlone, found.header.upperBound == found.line.lowerBound else {
        return bytes.spliced(Splice(found.line, ""))
      }
      return bytes.spliced(Splice(found.header.lowerBound..<found.line.upperBound, ""))
    }
  }

  private static func find(_ profile: String, _ bytes: Span<UInt8>) -> Found? {
    let heads = profile == "default" ? ["[default]", "[profile default]"] : ["[profile \(profile)]"]
    var found: Found?
    var header: Range<Int>?
    var others = 0
    for range in bytes.lines {
      let text = bytes.string(range)
      let line = range.lowerBound..<min(range.upperBound + 1, bytes.count)
      let words = text.split { $0 == " " || $0 == "\t" || $0 == "\r" }.joined(separator: " ")
      if words.hasPrefix("[") {
        if found != nil { break }
        header = heads.contains(words) ? line : nil
        others = 0
      } else if let header, !words.isEmpty {
        let parts = text.split(separator: "=", maxSplits: 1).map { $0.trimmed }
        if parts.count == 2, parts[0] == setting, found == nil {
          found = Found(value: parts[1], line: line, header: header, isAlone: false)
        } else {
          others += 1
        }
      }
    }
    found?.isAlone = others == 0
    return found
  }
}

extension Substring {
  /// The text without the blanks around it.
  fileprivate var trimmed: String {
    let blanks: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    var text = drop(while: blanks)
    while let last = text.last, blanks(last) { text.removeLast() }
    return String(text)
  }
}
