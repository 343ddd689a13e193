package import AcctModel
package import AcctPorts
import AcctProtocol

/// The limits that each account's servers last told of.
///
/// They are hints, for people and for scripts that want to wait in time: nothing here ever fails
/// or delays a command that is about something else.
package struct LimitsLedger: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// Reads what a response tells, without the secrets that are held now.
  ///
  /// - Parameters:
  ///   - fields: The response's fields, in order.
  ///   - origin: Who sent them.
  /// - Returns: None where the fields tell of no limit.
  func read(_ fields: [(name: String, value: String)], of origin: Origin) -> [RateLimit] {
    var told = RateLimitFields.limits(from: fields, of: origin, at: world.clock.now())
    // Most servers name no policy, and then nothing has to be looked through.
    for (index, name) in told.map(\.name).enumerated() where name != nil {
      told[index].name = name.map(world.held.redactor.redact)
    }
    return told
  }

  /// Reads and remembers what a response tells.
  package func learn(from fields: [(name: String, value: String)], of origin: Origin, for id: AccountID) async {
    await learn(read(fields, of: origin), of: origin, for: id)
  }

  /// Remembers what a response told; what it says replaces all that its origin has said before.
  ///
  /// A response that tells of no limit leaves what is known as it is.
  ///
  /// - Parameters:
  ///   - told: What ``read(_:of:)`` returned.
  ///   - origin: Who sent it.
  ///   - id: Whose credentials the request carried.
  package func learn(_ told: [RateLimit], of origin: Origin, for id: AccountID) async {
    guard isNews(told, to: limits(of: id).filter { $0.origin == origin }) else { return }
    // Two origins may answer at once. A process that can't write in a moment gives up: the next
    // answer tells more.
    guard let held = try? await world.files.lock(.limits(id), Self.timeout) else { return }
    defer { held.release() }
    // An account that was removed meanwhile must not leave a trace behind.
    guard (try? world.files.read(.account(id))) != nil else { return }
    var limits = limits(of: id)
    let place = limits.firstIndex { $0.origin == origin } ?? limits.endIndex
    limits.removeAll { $0.origin == origin }
    // In its old place, so that the order does not change with every answer.
    limits.insert(contentsOf: told, at: place)
    try? world.files.replace(.limits(id), LimitsFile.encode(limits))
  }

  /// Whether it is worth a write: what is the same as a moment ago need not be written again.
  private func isNews(_ told: [RateLimit], to known: [RateLimit]) -> Bool {
    guard let first = told.first else { return false }
    guard let age = known.first.map({ first.observedAt.seconds(since: $0.observedAt) }),
      (0...Self.freshness).contains(age)
    else { return true }
    var known = known
    for index in known.indices { known[index].observedAt = first.observedAt }
    return known != told
  }

  /// What was last told, origin by origin; nothing where that can't be read.
  package func limits(of id: AccountID) -> [RateLimit] {
    guard let bytes = try? world.files.read(.limits(id)) else { return [] }
    return LimitsFile.decode(bytes)
  }

  /// Removes what is known of an account's limits, and then, before more can be learned, the account.
  ///
  /// - Parameters:
  ///   - id: Whose limits.
  ///   - removal: Removes the account.
  /// - Throws: What `removal` throws, or ``FilesError/failed(_:)``.
  func forget(_ id: AccountID, with removal: () throws(EngineError) -> Void) async throws(EngineError) {
    try await world.files.withLock(.limits(id), waiting: 30, failure: { .files(.failed($0)) }) {
      () throws(EngineError) in
      do throws(FilesFailure) { try world.files.remove(.limits(id)) } catch { throw .files(.failed(error)) }
      try removal()
    }
  }

  /// Seconds that learning may wait for another process.
  private static let timeout = 2
  /// Seconds for which an answer that tells the same says nothing new.
  private static let freshness: Int64 = 5
}
