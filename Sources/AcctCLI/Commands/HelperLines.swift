import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

/// The lines on standard input, one at a time, for a program that waits for the answer to each.
struct HelperLines {
  /// In bytes: more than any question has.
  static let limit = 1 << 16

  private let source: ByteSource
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
        defer { rest.removeFirst(end + 1) }
        return Secret(rest[..<end])
      }
      guard rest.count <= Self.limit else { throw .input(.program(.tooLarge)) }
      if isAtEnd { return rest.isEmpty ? nil : Secret(consuming: &rest) }
      do {
        if let part = try await source.next() { rest += part } else { isAtEnd = true }
      } catch {
        throw .input(.stream(error))
      }
    }
  }
}
