import AcctProtocol
package import AcctModel
package import Secrets

/// The credential helpers of git's whole configuration, in the order in which git reads them (gitcredentials(7)).
///
/// A helper counts for every server, or for those that the address of its section matches. An empty value resets the list of
/// those before it.
package struct GitHelperList: Sendable {
  package struct Entry: Equatable, Sendable {
    /// `system`, `global`, `local`, `worktree` or `command`.
    package var scope: String
    /// The path of its file; `nil` for the environment.
    package var file: String?
    package var key: String
    package var value: String

    /// The address of the section; `nil` if it counts for every server.
    fileprivate var address: Substring? {
      key == "credential.helper" ? nil : key.dropFirst("credential.".count).dropLast(".helper".count)
    }

    package var isReset: Bool { value.isEmpty }

    /// `true` if git runs acct for it.
    package var isAcct: Bool {
      let words = value.drop { $0 == "!" }.split(separator: " ")
      return words.first?.split(separator: "/").last.map { $0 == "acct" || $0 == "git-credential-acct" } ?? false
    }
  }

  package private(set) var entries: [Entry] = []

  /// - Parameter values: The output of `git config --null --show-scope --show-origin --get-regexp`.
  package init(_ values: [String]) {
    for start in stride(from: 0, to: values.count - 2, by: 3) {
      let parts = values[start + 2].split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      let place = values[start + 1]
      entries.append(
        Entry(
          scope: values[start],
          file: place.hasPrefix("file:") ? String(place.dropFirst("file:".count)) : nil,
          key: String(parts[0]),
          value: parts.count > 1 ? String(parts[1]) : ""
        )
      )
    }
  }

  /// The entries that count for a server, up to the last one; for `nil`, those that count for every server.
  private func indices(for origin: Origin?) -> [Int] {
    entries.indices.filter { index in
      guard let address = entries[index].address else { return true }
      return origin.map { Self.matches(address, $0) } ?? false
    }
  }

  /// The helpers that git asks.
  package func active(for origin: Origin?) -> [Entry] {
    let all = indices(for: origin).map { entries[$0] }
    return Array(all[(all.lastIndex(where: \.isReset).map { $0 + 1 } ?? 0)...])
  }

  package func asksAcct(for origin: Origin?) -> Bool { active(for: origin).contains(where: \.isAcct) }

  /// The entry that resets the list of a server last, and its number among those of its file.
  package func reset(for origin: Origin?) -> (entry: Entry, number: Int)? {
    guard let index = indices(for: origin).last(where: { entries[$0].isReset }) else { return nil }
    let number = entries[...index].count { $0.file == entries[index].file && $0.isReset }
    return (entries[index], number)
  }

  /// The line of an empty value, by its number among those of a file.
  package static func line(ofReset number: Int, in contents: Secret) -> Int? {
    let lines = contents.shownText.split(separator: "\n", omittingEmptySubsequences: false)
    let resets = lines.indices.filter { index in
      ["helper=", "helper=\"\""].contains(lines[index].filter { !$0.isWhitespace }.lowercased())
    }
    return number <= resets.count ? resets[number - 1] + 1 : nil
  }

  /// Adds entries as `git config --file FILE --add` does: behind the last one of the same section, else at the file's end.
  package mutating func add(_ values: [String], to key: String, in file: String, atEnd: Bool) {
    let inSection = entries.lastIndex { $0.file == file && $0.key == key }
    let global = entries.lastIndex { $0.scope == "system" || $0.scope == "global" }
    let index = (atEnd ? global : inSection ?? global).map { $0 + 1 } ?? 0
    let new = values.map { Entry(scope: "global", file: file, key: key, value: $0) }
    entries.insert(contentsOf: new, at: index)
  }

  /// Returns `true` if a section's address matches a server, whatever the path of a request is.
  private static func matches(_ address: Substring, _ origin: Origin) -> Bool {
    var rest = address
    if let scheme = address.firstRange(of: "://") {
      guard address[..<scheme.lowerBound].lowercased() == origin.scheme.rawValue else { return false }
      rest = address[scheme.upperBound...]
    }
    let authority = rest.prefix { $0 != "/" }
    guard rest.dropFirst(authority.count).allSatisfy({ $0 == "/" }) else { return false }
    let server = authority.lowercased().split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let parts = server.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let port = parts.count > 1 ? UInt16(parts[1]) : origin.scheme.defaultPort
    let labels = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
    let wanted = origin.host.split(separator: ".", omittingEmptySubsequences: false)
    return port == origin.port && labels.count == wanted.count
      && zip(labels, wanted).allSatisfy { $0 == $1 || $0 == "*" }
  }
}
