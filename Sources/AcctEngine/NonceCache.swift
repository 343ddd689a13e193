import AcctModel
import AcctPorts

/// The last DPoP nonce of each origin, shared by every process for at most 5 minutes.
///
/// A nonce is a hint (RFC 9449, section 8): without one, or with one that the server has
/// forgotten, a request costs one more round trip. So nothing here ever fails a command.
struct NonceCache: Sendable {
  private let world: World

  init(_ world: World) { self.world = world }

  private static let lifetime: Int64 = 300

  /// The nonce to use for `origin`, if a fresh one is known.
  func nonce(for origin: Origin) -> String? {
    guard let bytes = try? world.files.read(.nonce(origin)) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 2, let seconds = Int64(words[0]),
      let learnt = Timestamp(secondsSince1970: seconds)
    else { return nil }
    let age = world.clock.now().seconds(since: learnt)
    return (0...Self.lifetime).contains(age) ? String(words[1]) : nil
  }

  /// Remembers a nonce that a response of `origin` brought.
  func learn(_ nonce: String, from origin: Origin) {
    let line = "\(world.clock.now().secondsSince1970) \(nonce)"
    try? world.files.replace(.nonce(origin), Array(line.utf8))
  }
}
