import AcctModel
import AcctProtocol
import Foundation
import StrictJSON
import Testing

/// `Vectors/rate-limits.json`: every spelling, every form of a reset, and the result of bad values.
struct RateLimitVectors {
  let observedAt: Timestamp
  let resetsAt: Timestamp
  let resets: [JSONObject]
  let spellings: [JSONObject]
  let answers: [JSONObject]

  init() throws {
    let file = Bundle.module.bundleURL.appending(path: "Vectors/rate-limits.json")
    let json = try JSON(parsing: Array(try Data(contentsOf: file))).objectValue
    let object = try #require(json)
    observedAt = try Timestamp(object.text("observedAt"))
    resetsAt = try Timestamp(object.text("resetsAt"))
    resets = try object.objects("resets")
    spellings = try object.objects("spellings")
    answers = try object.objects("answers")
  }

  static let origin = Result { try Origin("https://api.example") }

  /// What is read from fields, each written as on the wire.
  func read(_ lines: [String]) throws -> [RateLimit] {
    RateLimitFields.limits(
      from: lines.map { line in
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        return (String(line[..<colon]), String(line[colon...].dropFirst()))
      },
      of: try Self.origin.get(),
      at: observedAt
    )
  }
}

extension JSONObject {
  func objects(_ name: String) throws -> [JSONObject] { try #require(self[name]?.arrayValue).compactMap(\.objectValue) }

  /// A member that must be a list of strings.
  func texts(_ name: String) throws -> [String] { try #require(self[name]?.arrayValue).compactMap(\.stringValue) }

  func number(_ name: String) -> Int64? { self[name]?.numberValue?.integer }
}
