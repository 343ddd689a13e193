/// Redacts secrets in text from outside: each part of a secret that a server returned becomes `<redacted>`.
///
/// A secret is found as it is, escaped (`%2F`, `\/`, `\u002f`) and in base64 of either alphabet at
/// any alignment, whole or in part from ``shortest`` characters on. A match is decided by bytes
/// alone, so a message that happens to share 8 characters with a token loses them.
package struct Redactor: Sendable {
  private let secrets: [Secret]

  /// - Parameter secrets: The secrets to redact.
  package init(_ secrets: [Secret]) { self.secrets = secrets }

  /// Redacts nothing: for text that can't contain a secret.
  package static let none = Redactor([])

  /// The number of consecutive characters of a secret that are found, at any position in it.
  ///
  /// A secret of 4 to 7 characters is found as a whole word; a shorter one is not a secret, and never found.
  package static let shortest = 8

  /// The most bytes of a text that are shown; a message fits on one line.
  private static let limit = 1 << 14

  /// Replaces each run of a secret in a text.
  ///
  /// - Parameter text: From outside.
  /// - Returns: The text, cut after 16 KiB.
  package func redact(_ text: String) -> String {
    let isCut = text.utf8.count > Self.limit
    let bytes = isCut ? Array(text.utf8.prefix(Self.limit)) : Array(text.utf8)
    let marks = marks(in: bytes)
    guard isCut || marks.contains(true) else { return text }
    var shown: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if !marks[index] {
        shown.append(byte)
      } else if index == 0 || !marks[index - 1] {
        shown += "<redacted>".utf8
      }
    }
    return String(decoding: shown, as: UTF8.self) + (isCut ? "…" : "")
  }

  /// Returns `true` if a text contains a part of a secret.
  package func finds(in text: String) -> Bool { marks(in: Array(text.utf8)).contains(true) }

  /// Returns `true` if a text contains a whole secret.
  ///
  /// Tokens of one kind begin alike, as JWTs do: a shared part does not show that a value of the server's own comes
  /// from the secret.
  package func findsWhole(in text: String) -> Bool {
    let bytes = Array(text.utf8)
    return secrets.contains { secret in
      secret.count <= bytes.count && Redactor([secret]).marks(in: bytes).count { $0 } >= secret.count
    }
  }

  /// Returns a mark for each byte: `true` if it belongs to a secret.
  private func marks(in bytes: [UInt8]) -> [Bool] {
    var marks = Array(repeating: false, count: bytes.count)
    guard !secrets.isEmpty, bytes.count >= 4 else { return marks }
    let windows = SecretWindows(secrets)
    // Text that is escaped twice occurs where one server quotes another.
    var view: TextView? = TextView(bytes)
    for _ in 0..<3 {
      guard let plain = view else { break }
      windows.mark(plain, in: &marks)
      for decoded in plain.decoded {
        windows.mark(decoded, in: &marks)
        if let inner = decoded.unescaped { windows.mark(inner, in: &marks) }
      }
      view = plain.unescaped
    }
    return marks
  }
}

/// The search patterns of the secrets: every 8 consecutive bytes of one.
///
/// Several of them overlap in a longer run, so each byte of a text needs one look-up.
private struct SecretWindows {
  private var windows: Set<UInt64> = []
  private var words: [[UInt8]] = []

  init(_ secrets: [Secret]) {
    for secret in secrets {
      secret.withBytes { span in
        if span.count < Redactor.shortest {
          if span.count >= 4 { words.append(span.indices.map { span[$0] }) }
          return
        }
        var window: UInt64 = 0
        for index in span.indices {
          window = window << 8 | UInt64(span[index])
          if index >= Redactor.shortest - 1 { windows.insert(window) }
        }
      }
    }
  }

  /// Marks the bytes of the original text that a view shows a secret in.
  func mark(_ view: TextView, in marks: inout [Bool]) {
    var window: UInt64 = 0
    for (index, byte) in view.bytes.enumerated() {
      window = window << 8 | UInt64(byte)
      let first = index - (Redactor.shortest - 1)
      guard first >= 0, windows.contains(window) else { continue }
      for place in view.starts[first]..<view.ends[index] { marks[place] = true }
    }
    for word in words where view.bytes.count >= word.count {
      for first in 0...(view.bytes.count - word.count)
      where view.bytes[first..<(first + word.count)].elementsEqual(word) && view.isWord(first..<(first + word.count)) {
        for place in view.starts[first]..<view.ends[first + word.count - 1] { marks[place] = true }
      }
    }
  }
}
