package import AcctModel
import StrictJSON

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
