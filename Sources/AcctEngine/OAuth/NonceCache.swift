import AcctModel
import AcctPorts
import AcctProtocol

/// What an origin's last response taught: its DPoP nonce, and how far its clock is from ours.
///
/// Shared by every process for at most 5 minutes. These are hints (RFC 9449, section 8): without
/// one, or with one that the server has forgotten, a request costs one more round trip. So
/// nothing here ever fails a command.
struct NonceCache: Sendable {
  private let world: World

  init(_ world: World) { self.world = world }

  private static let lifetime: Int64 = 300
  /// A clock that is less wrong than this is left alone: proofs are taken for minutes.
  private static let tolerance: Int64 = 60
  /// A server's clock that is further off than a day is wrong itself, or wants proofs for another
  /// year.
  private static let believable: ClosedRange<Int64> = -86_400...86_400

  /// The nonce to use for `origin`, if a fresh one is known.
  func nonce(for origin: Origin) -> String? { hint(for: origin)?.nonce }

  /// The time to put into a proof for `origin`: ours, or the server's where ours is wrong.
  func now(at origin: Origin) -> Timestamp {
    world.clock.now().adding(seconds: hint(for: origin)?.skew ?? 0)
  }

  /// Whether the server's clock is known to be more than a minute off.
  func isClockOff(at origin: Origin) -> Bool { (hint(for: origin)?.skew ?? 0) != 0 }

  /// Remembers what a response of `origin` brought.
  func learn(from response: HTTPResponse, of origin: Origin) {
    learn(from: response.fields, of: origin)
  }

  /// Remembers what the fields of a response of `origin` brought.
  func learn(from fields: [(name: String, value: String)], of origin: Origin) {
    let known = hint(for: origin)
    let nonce = nonce(in: fields, known) ?? known?.nonce
    let date = fields.only("Date").flatMap { HTTPDate.parse($0) }
    let told = date.map { $0.seconds(since: world.clock.now()) }
    let difference = told.flatMap { Self.believable.contains($0) ? $0 : nil }
    let skew = difference.map { abs($0) > Self.tolerance ? $0 : 0 } ?? known?.skew ?? 0
    guard nonce != nil || skew != 0 || known != nil else { return }
    // Unchanged hints are written again only when they age: one file write fewer per request.
    guard nonce != known?.nonce || skew != known?.skew || (known?.age ?? 0) > 30 else { return }
    let line = "\(world.clock.now().secondsSince1970) \(skew) \(nonce ?? "")\n"
    try? world.files.replace(.nonce(origin), Array(line.utf8))
  }

  /// The nonce that a response brings; one that repeats a secret is not written into a file.
  private func nonce(in fields: [(name: String, value: String)], _ known: Hint?) -> String? {
    let nonce = DPoPNonce.learned(from: fields)
    guard let nonce, nonce != known?.nonce else { return nonce }
    return world.held.redactor.findsWhole(in: nonce) ? nil : nonce
  }

  private struct Hint {
    var age: Int64
    var skew: Int64
    var nonce: String?
  }

  private func hint(for origin: Origin) -> Hint? {
    guard let bytes = try? world.files.read(.nonce(origin)) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { " \n".contains($0) }
    guard words.count >= 2, let seconds = Int64(words[0]), let skew = Int64(words[1]),
      let learnt = Timestamp(secondsSince1970: seconds)
    else { return nil }
    let age = world.clock.now().seconds(since: learnt)
    guard (0...Self.lifetime).contains(age), Self.believable.contains(skew) else { return nil }
    return Hint(age: age, skew: skew, nonce: words.count > 2 ? String(words[2]) : nil)
  }
}
