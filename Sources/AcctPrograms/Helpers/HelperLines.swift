import AcctConsole
import AcctEngine
import Secrets
import AcctPorts
import AcctProtocol

/// The lines on standard input, one at a time, for a program that waits for the answer to each.
struct HelperLines {
  /// In bytes: more than any question has.
  static let limit = 1 << 16

  private let source: ByteSource
  /// The bytes that were read and are no line yet; they may hold a secret.
  private var rest: [UInt8] = []
  private var isAtEnd = false

  /// - Throws: ``InputError/stream(_:)``.
  init(_ world: World) throws(EngineError) {
    do { source = try world.streams.source("-") } catch { throw .input(.stream(error)) }
  }

  /// The next line without its end; `nil` after the last one.
  ///
  /// - Throws: ``InputError/stream(_:)``, ``HelperFlaw/tooLarge``.
  mutating func next() async throws(EngineError) -> Secret? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Secret(rest[..<end])
        drop(end + 1)
        return line
      }
      guard rest.count <= Self.limit else {
        wipe(&rest)
        throw .question(.tooLarge)
      }
      if isAtEnd { return rest.isEmpty ? nil : Secret(consuming: &rest) }
      do {
        if var part = try await source.next() { append(&part) } else { isAtEnd = true }
      } catch {
        wipe(&rest)
        throw .input(.stream(error))
      }
    }
  }

  /// Takes over a part, and wipes it and the buffer that was too small for both.
  private mutating func append(_ part: inout [UInt8]) {
    var whole: [UInt8] = []
    whole.reserveCapacity(rest.count + part.count)
    whole.append(contentsOf: rest)
    whole.append(contentsOf: part)
    wipe(&rest)
    wipe(&part)
    rest = whole
  }

  /// Wipes the first bytes; the others stay.
  private mutating func drop(_ count: Int) {
    var others: [UInt8] = []
    others.reserveCapacity(max(1, rest.count - count))
    others.append(contentsOf: rest[count...])
    wipe(&rest)
    rest = others
  }
}
