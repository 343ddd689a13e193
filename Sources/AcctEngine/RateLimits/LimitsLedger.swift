package import AcctModel
package import AcctPorts
import AcctProtocol
import Secrets
import StrictJSON

/// The limits that each account's servers last reported.
///
/// They are hints, for people and for scripts that want to wait in time; only a renewal stops at the limit of its own
/// endpoint. To read or store them never fails a command.
package struct LimitsLedger: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// Reads the limits in a response, without the secrets that are held now.
  ///
  /// - Parameters:
  ///   - fields: The response's fields, in order.
  ///   - origin: The origin of the response.
  /// - Returns: The limits; none if the fields name none.
  package func read(_ fields: [(name: String, value: String)], of origin: Origin) -> [RateLimit] {
    var told = RateLimitFields.limits(from: fields, of: origin, at: world.clock.now())
    // Most servers name no policy, and then nothing has to be redacted.
    for (index, name) in told.map(\.name).enumerated() where name != nil {
      told[index].name = name.map(world.held.redactor.redact)
    }
    return told
  }

  /// Reads and stores the limits in a response.
  package func learn(from fields: [(name: String, value: String)], of origin: Origin, for id: AccountID) async {
    await learn(read(fields, of: origin), of: origin, for: id)
  }

  /// Stores the limits from a response, which replace the earlier ones of the same extent.
  ///
  /// A response without limits changes nothing.
  ///
  /// - Parameters:
  ///   - told: The result of ``read(_:of:)``.
  ///   - origin: The origin of the response.
  ///   - id: The account whose credentials the request carried.
  package func learn(_ told: [RateLimit], of origin: Origin, for id: AccountID) async {
    guard isNews(told, to: limits(of: id)) else { return }
    // Two origins may answer at once. A process that can't write within `timeout` gives up: the next response has
    // newer limits.
    guard let held = try? await world.files.lock(.limits(id), Self.timeout) else { return }
    defer { held.release() }
    // An account that was removed meanwhile must not leave a trace behind.
    guard (try? world.files.read(.account(id))) != nil else { return }
    var limits = limits(of: id)
    limits.take(told)
    try? world.files.replace(.limits(id), LimitsFile.encode(limits))
  }

  /// Returns `true` if it is worth a write: values that were stored a moment ago need not be written again.
  private func isNews(_ told: [RateLimit], to known: [RateLimit]) -> Bool {
    guard !told.isEmpty else { return false }
    var next = known
    next.take(told)
    // What was replaced has its place, and may be the same but for its time.
    guard next.count == known.count else { return true }
    return zip(known, next).contains { known, next in
      var aged = known
      aged.observedAt = next.observedAt
      return aged != next || !(0...Self.freshness).contains(next.observedAt.seconds(since: known.observedAt))
    }
  }

  /// The last reported limits, origin by origin; empty if they can't be read.
  package func limits(of id: AccountID) -> [RateLimit] {
    guard let bytes = try? world.files.read(.limits(id)) else { return [] }
    return LimitsFile.decode(bytes)
  }

  /// Removes an account's limits, and then, before new ones can be stored, the account.
  ///
  /// - Parameters:
  ///   - id: The account.
  ///   - removal: Removes the account.
  /// - Throws: What `removal` throws, or ``FilesError/failed(_:)``.
  func forget(_ id: AccountID, with removal: () throws(EngineError) -> Void) async throws(EngineError) {
    try await world.files.withLock(.limits(id), waiting: 30, failure: { .files(.failed($0)) }) {
      () throws(EngineError) in
      do throws(FilesFailure) { try world.files.remove(.limits(id)) } catch { throw .files(.failed(error)) }
      try removal()
    }
  }

  /// The longest wait for another process, in seconds.
  private static let timeout = 2
  /// Seconds in which an equal report is not written again.
  private static let freshness: Int64 = 5
}

/// The form of a file of limits: one JSON object, version 1, times in RFC 3339.
package enum LimitsFile {
  /// Serializes limits.
  package static func encode(_ limits: [RateLimit]) -> [UInt8] {
    let json: JSON = [
      "version": 1,
      "limits": .array(
        limits.map { limit in
          [
            "origin": .string(limit.origin.description),
            "extent": .string(limit.extent.rawValue),
            "name": .init(limit.name),
            "limit": .init(limit.limit),
            "remaining": .init(limit.remaining),
            "resetsAt": .init(limit.resetsAt?.description),
            "retryAfterSeconds": .init(limit.retryAfterSeconds),
            "observedAt": .string(limit.observedAt.description),
          ]
        }
      ),
    ]
    return json.serialized()
  }

  /// Parses limits; unreadable ones are left out, since the next answer brings new ones.
  package static func decode(_ bytes: [UInt8]) -> [RateLimit] {
    guard let file = (try? JSON(parsing: bytes))?.objectValue, file["version"]?.numberValue?.integer == 1
    else { return [] }
    return (file["limits"]?.arrayValue ?? []).compactMap { $0.objectValue.flatMap(limit) }
  }

  private static func limit(_ member: JSONObject) -> RateLimit? {
    guard let origin = member["origin"]?.stringValue.flatMap({ try? Origin($0) }),
      let observedAt = time(member["observedAt"])
    else { return nil }
    return RateLimit(
      origin: origin,
      // A file of an earlier version has none.
      extent: member["extent"]?.stringValue.flatMap(RateLimit.Extent.init) ?? .origin,
      name: member["name"]?.stringValue,
      limit: count(member["limit"]),
      remaining: count(member["remaining"]),
      resetsAt: time(member["resetsAt"]),
      retryAfterSeconds: count(member["retryAfterSeconds"]),
      observedAt: observedAt
    )
  }

  private static func time(_ value: JSON?) -> Timestamp? { value?.stringValue.flatMap { try? Timestamp($0) } }

  private static func count(_ value: JSON?) -> Int64? { value?.numberValue?.integer.flatMap { $0 < 0 ? nil : $0 } }
}
