/// Redacts secrets in text from outside: whatever part a server returned becomes `<redacted>`.
///
/// A secret is found as it is, escaped (`%2F`, `\/`, `\u002f`) and in base64 of either alphabet at
/// any alignment, whole or in part from ``shortest`` characters on. A match is decided by bytes
/// alone, so a message that happens to share 8 characters with a token loses them.
package struct Redactor: Sendable {
  private let secrets: [Secret]

  /// - Parameter secrets: What must not be shown.
  package init(_ secrets: [Secret]) { self.secrets = secrets }

  /// Redacts nothing: for text that can't contain a secret.
  package static let none = Redactor([])

  /// How many characters of a secret are found, wherever they stand in it.
  ///
  /// A secret of 4 to 7 characters is found as a whole word, a shorter one never: it is no secret.
  package static let shortest = 8

  /// The most bytes of a text that are shown; a message is for one line.
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

  /// Whether a text contains a secret.
  package func finds(in text: String) -> Bool { marks(in: Array(text.utf8)).contains(true) }

  /// Whether a text contains a whole secret.
  ///
  /// Tokens of one kind begin alike, as JWTs do: a part of one says nothing of a value that a server made
  /// for itself.
  package func findsWhole(in text: String) -> Bool {
    let bytes = Array(text.utf8)
    return secrets.contains { secret in
      secret.count <= bytes.count && Redactor([secret]).marks(in: bytes).count { $0 } >= secret.count
    }
  }

  /// Which bytes belong to a secret.
  private func marks(in bytes: [UInt8]) -> [Bool] {
    var marks = Array(repeating: false, count: bytes.count)
    guard !secrets.isEmpty, bytes.count >= 4 else { return marks }
    let windows = SecretWindows(secrets)
    // Escaped twice is seen where one server passes on another's words.
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

/// What of the secrets is looked for: every 8 bytes that follow each other in one.
///
/// A longer run is where several of these overlap, so each needs one look-up for each byte.
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
