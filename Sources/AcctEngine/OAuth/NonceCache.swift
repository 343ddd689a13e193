package import AcctModel
import Secrets
package import AcctPorts
import AcctProtocol

/// Caches the hint from each origin's last response, for every process.
///
/// For at most 5 minutes. These are hints (RFC 9449, section 8): without one, or with one that the server has
/// forgotten, a request costs one more round trip. So nothing here ever fails a command.
package struct NonceCache: Sendable {
  private let world: World
  /// The hints that this process keeps in memory as well; `nil` to use the file alone.
  private let kept: KeptHints?

  package init(_ world: World, _ kept: KeptHints? = nil) {
    self.world = world
    self.kept = kept
  }

  /// The lifetime of a hint, in seconds.
  private static let lifetime: Int64 = 300
  /// The largest error of a clock that is not corrected, in seconds: proofs are accepted for minutes.
  static let tolerance: Int64 = 60
  /// The same for a server that has refused a proof: some accept theirs for seconds.
  private static let strictTolerance: Int64 = 4
  /// The offsets that are accepted, in seconds: a server's clock that is off by more than a day is wrong itself, or
  /// requires proofs for another year.
  private static let believable: ClosedRange<Int64> = -86_400...86_400

  /// The hint for an origin.
  package func hint(for origin: Origin) -> ServerHint {
    guard let kept else { return written(for: origin) }
    return fresh(kept.hint(for: origin, at: world.clock.now()) { written(for: origin) })
  }

  /// The hint in the file.
  private func written(for origin: Origin) -> ServerHint {
    guard let bytes = try? world.files.read(.nonce(origin)) else { return .none }
    let words = String(decoding: bytes, as: UTF8.self).split { " \n".contains($0) }
    guard words.count >= 2, let seconds = Int64(words[0]), let offset = Int64(words[1]),
      let learnedAt = Timestamp(secondsSince1970: seconds), Self.believable.contains(offset)
    else { return .none }
    let nonce = words.count > 2 ? String(words[2]) : nil
    return fresh(ServerHint(nonce: nonce, clockOffset: offset, learnedAt: learnedAt))
  }

  /// Stores the hint from a response, for this process and the others.
  ///
  /// - Parameters:
  ///   - fields: The response's header fields.
  ///   - origin: The origin of the response.
  ///   - known: The hint at the time of the request.
  ///   - refusesProof: `true` if it refuses the request's proof.
  /// - Returns: The new hint, even if it could not be written.
  @discardableResult
  package func learn(
    from fields: [(name: String, value: String)],
    of origin: Origin,
    knowing known: ServerHint,
    refusesProof: Bool = false
  ) -> ServerHint {
    let (learned, isNews) = lesson(of: fields, of: origin, knowing: known, refusesProof: refusesProof)
    if isNews { write(learned, of: origin) }
    return learned
  }

  /// Stores the hint from a response, for this process alone.
  ///
  /// - Parameters:
  ///   - fields: The response's header fields.
  ///   - origin: The origin of the response.
  ///   - known: The hint at the time of the request.
  ///   - refusesProof: `true` if it refuses the request's proof.
  /// - Returns: The new hint, and `true` if it has to be written for other processes.
  package func lesson(
    of fields: [(name: String, value: String)],
    of origin: Origin,
    knowing known: ServerHint,
    refusesProof: Bool = false
  ) -> (learned: ServerHint, isNews: Bool) {
    let now = world.clock.now()
    let known = fresh(known)
    // What has been corrected once stays corrected.
    let tolerance = refusesProof || known.isClockOff ? Self.strictTolerance : Self.tolerance
    let learned = ServerHint(
      nonce: nonce(in: fields, known) ?? known.nonce,
      clockOffset: clockOffset(in: fields, at: now, beyond: tolerance) ?? known.clockOffset,
      learnedAt: now
    )
    guard learned.nonce != nil || learned.isClockOff || known != .none else { return (.none, false) }
    // Unchanged hints are rewritten only when they age: one file write fewer per request.
    let age = known.learnedAt.map { now.seconds(since: $0) }
    let isChanged = learned.nonce != known.nonce || learned.clockOffset != known.clockOffset
    guard isChanged || age ?? 0 > 30 else { return (known, false) }
    return (learned, kept?.learn(learned, of: origin, at: now) ?? true)
  }

  /// Writes a hint for other processes, if possible.
  package func write(_ hint: ServerHint, of origin: Origin) {
    guard let time = hint.learnedAt else { return }
    let words = "\(time.secondsSince1970) \(hint.clockOffset) \(hint.nonce ?? "")\n"
    try? world.files.replace(.nonce(origin), Array(words.utf8))
  }

  /// The hint, unless it is too old to be used.
  private func fresh(_ hint: ServerHint) -> ServerHint {
    guard let learnedAt = hint.learnedAt else { return .none }
    let age = world.clock.now().seconds(since: learnedAt)
    return (0...Self.lifetime).contains(age) ? hint : .none
  }

  /// The nonce of a response; one that repeats a secret is not written into a file.
  private func nonce(in fields: [(name: String, value: String)], _ known: ServerHint) -> String? {
    let nonce = DPoPNonce.learned(from: fields)
    guard let nonce, nonce != known.nonce else { return nonce }
    return world.held.redactor.findsWhole(in: nonce) ? nil : nonce
  }

  /// The seconds by which a response's `Date` is ahead of this machine's clock.
  private func clockOffset(
    in fields: [(name: String, value: String)],
    at now: Timestamp,
    beyond tolerance: Int64
  ) -> Int64? {
    guard let date = fields.only("Date").flatMap({ kept?.time(of: $0) ?? HTTPDate.parse($0) }) else { return nil }
    let offset = date.seconds(since: now)
    guard Self.believable.contains(offset) else { return nil }
    return abs(offset) > tolerance ? offset : 0
  }
}
