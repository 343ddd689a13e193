import AcctModel
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Rate limits in header fields")
struct RateLimitTests {
  private let vectors: RateLimitVectors
  private let origin: Origin

  init() throws {
    vectors = try RateLimitVectors()
    origin = try RateLimitVectors.origin.get()
  }

  @Test("Every spelling of a rate limit is read with every form of a reset")
  func spellings() throws {
    var read = 0
    for spelling in vectors.spellings {
      for reset in vectors.resets {
        guard let text = reset[try spelling.text("as")]?.stringValue else { continue }
        let lines = try spelling.texts("fields").map { $0.replacing("RESET", with: text) }
        let expected = RateLimit(
          origin: origin,
          name: spelling["name"]?.stringValue,
          limit: 5,
          remaining: 3,
          resetsAt: vectors.resetsAt,
          observedAt: vectors.observedAt
        )
        let what = try "\(spelling.text("spelling")), \(reset.text("form"))"
        #expect(try vectors.read(lines) == [expected], "\(what)")
        read += 1
      }
    }
    #expect(read == 10 * 14 + 6 * 15)
  }

  @Test("A Retry-After is read in every form of a reset, and reported in seconds")
  func retryAfter() throws {
    for reset in vectors.resets {
      guard let text = reset["plain"]?.stringValue else { continue }
      let limits = try vectors.read(["Retry-After: \(text)"])
      let form = try reset.text("form")
      #expect(limits.map(\.retryAfterSeconds) == [50_700], "\(form)")
    }
  }

  @Test("An unusable rate limit is dropped or clamped, and the rest of the answer counts")
  func answers() throws {
    for answer in vectors.answers {
      let expected = try answer.objects("limits").map { limit in
        RateLimit(
          origin: origin,
          extent: limit["extent"]?.stringValue.flatMap(RateLimit.Extent.init) ?? .origin,
          name: limit["name"]?.stringValue,
          limit: limit.number("limit"),
          remaining: limit.number("remaining"),
          resetsAt: limit.number("in").map { vectors.observedAt.adding(seconds: $0) },
          retryAfterSeconds: limit.number("retryAfter"),
          observedAt: vectors.observedAt
        )
      }
      let what = try answer.text("case")
      #expect(try vectors.read(answer.texts("fields")) == expected, "\(what)")
    }
  }

  @Test("A reset in seconds counts from its observation, not from the time of a request")
  func observation() throws {
    let fields = [(name: "X-RateLimit-Reset", value: "60")]
    for seconds: Int64 in [0, 1_700_000_000, 1_800_000_000] {
      let observed = Timestamp(clamped: seconds)
      let limits = RateLimitFields.limits(from: fields, of: origin, at: observed)
      #expect(limits.first?.resetsAt == Timestamp(clamped: seconds + 60))
    }
  }

  @Test("More than 32 kinds of a limit are cut off, and a flood of fields takes no time")
  func manyKinds() throws {
    let many = (0..<20_000).map { "X-RateLimit-Remaining-K\($0): \($0)" }
    #expect(try vectors.read(many).map(\.remaining) == (0..<32).map { Int64($0) })
  }

  @Test("More than 32 policies are cut off, and a name that is too long is ignored")
  func excess() throws {
    let many = (0..<1000).map { "\"p\($0)\";q=\($0)" }.joined(separator: ",")
    #expect(try vectors.read(["RateLimit-Policy: \(many)"]).count == 32)
    // The parser's time grows with the square of the names in a field.
    let names = (0..<5000).map { ";p\($0)" }.joined()
    let limits = try vectors.read(["RateLimit: \"a\";r=1\(names)", "X-RateLimit-Remaining: 3"])
    #expect(limits.map(\.name) == [nil] && limits.map(\.remaining) == [3])
    let long = String(repeating: "n", count: 200)
    #expect(try vectors.read(["RateLimit-Policy: \"\(long)\";q=1"]).map(\.name) == [nil])
    #expect(try vectors.read(["RateLimit: \"\(long)\";r=1"]).isEmpty)
  }

  @Test("Any text in a rate limit field is read or ignored")
  func noise() throws {
    var numbers = RepeatableNumbers(seed: 9)
    let alphabet = Array(#"0123456789abcRTrt";=,:?@*-._ \()é%"#)
    for _ in 0..<5_000 {
      let length = Int.random(in: 0..<24, using: &numbers)
      let text = String((0..<length).map { _ in alphabet.randomElement(using: &numbers) ?? "a" })
      for name in ["RateLimit", "RateLimit-Policy", "RateLimit-Limit", "X-RateLimit-Reset"] {
        for limit in try vectors.read(["\(name): \(text)"]) {
          #expect((limit.remaining ?? 0) >= 0 && (limit.limit ?? 0) >= 0, "\(text)")
        }
      }
    }
  }
}
