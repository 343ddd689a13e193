import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// An issuer whose refresh tokens are good for one use; a second use ends the session.
///
/// Every answer carries a new DPoP nonce, as some servers' do, so that there is one more write.
private final class RotatingIssuer: Sendable {
  private struct State {
    var generation = 1
    var hasEnded = false
    var answers = 0
  }
  private let state = Mutex(State())

  /// How often it has renewed.
  var renewals: Int { state.withLock { $0.generation - 1 } }

  func respond(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let nonce = state.withLock { state in
      state.answers += 1
      return ("DPoP-Nonce", "nonce-\(state.answers)")
    }
    guard request.url.path == "/token" else {
      return .json(
        #"{"issuer":"https://issuer.example","token_endpoint":"https://issuer.example/token"}"#,
        200,
        nonce
      )
    }
    let form = request.body?.plain ?? ""
    return state.withLock { state in
      guard !state.hasEnded, form.contains("refresh_token=r\(state.generation)&") else {
        state.hasEnded = true
        return .json(#"{"error":"invalid_grant"}"#, 400, nonce)
      }
      state.generation += 1
      let generation = state.generation
      return .json(
        """
        {"access_token":"a\(generation)","token_type":"Bearer","expires_in":3600,
         "refresh_token":"r\(generation)"}
        """,
        200,
        nonce
      )
    }
  }
}

/// A renewal whose process dies at one of its writes: to the keyring, or to a file.
@Suite("Renewals and sign-ins whose process dies")
struct AccountCrashTests {
  /// More writes than a renewal has.
  private static let limit = 40

  @Test("A renewal that dies loses the session only between the answer and the first write")
  func everyWrite() async throws {
    var losses = 0
    var deaths = 0
    for writes in 0..<Self.limit {
      let record = RecordedWorld()
      let issuer = RotatingIssuer()
      try await expired(record, issuer)
      let before = record.keyring.items
      record.lifeline.die(afterWrites: writes)
      let status = await record.acct("token")
      guard !record.lifeline.isAlive else {
        #expect(status == 0)
        break
      }
      deaths += 1
      record.lifeline.revive()

      let wasAnswered = issuer.renewals == 1
      let wasWritten = record.keyring.items != before
      let next = await record.acct("token")
      if wasAnswered && !wasWritten {
        losses += 1
        #expect(next == 4, "after \(writes) writes")
        #expect(record.err.first?.contains("interrupted") == true)
      } else {
        #expect(next == 0, "after \(writes) writes: \(record.err)")
        #expect(record.out == "a\(issuer.renewals + 1)\n")
        let kept = record.keyring.items.values.first?[.refreshToken]
        #expect(kept == Secret("r\(issuer.renewals + 1)"))
      }
      #expect(await record.acct("list", "--json") == 0)
      #expect(record.json?.objectValue?["accounts"]?.arrayValue?.count == 1)
    }
    // The note, the nonce, three items, the account: otherwise this test has shown nothing.
    #expect(deaths >= 5 && deaths < Self.limit)
    // Only the write that makes the answer durable can't be protected.
    #expect(losses == 1)
  }

  @Test("A first add that dies at any write leaves nothing that doctor and the next add don't report")
  func firstAdd() async {
    var leftovers = 0
    for writes in 0..<Self.limit {
      let record = RecordedWorld()
      record.lifeline.die(afterWrites: writes)
      let status = await record.add(Handoffs.dpop())
      guard !record.lifeline.isAlive else {
        #expect(status == 0)
        break
      }
      record.lifeline.revive()
      let isLeftOver = record.keyring.count > 0 && record.accountFiles == 0
      if isLeftOver { leftovers += 1 }
      #expect((await record.acct("doctor", "--offline") == 1) == isLeftOver, "\(writes)")
      #expect(record.out.contains("the keyring holds secrets of ") == isLeftOver, "\(writes)")

      record.provide("-", Handoffs.bearer())
      #expect(await record.acct("add", "--import", "-") == 0, "\(writes)")
      #expect(record.err.first == "acct: added bob.example.com")
      let told = [
        "acct: the keyring holds secrets of an account that has no file: " + "an earlier `acct add` was interrupted",
        "acct: hint: `acct doctor --repair` lists what is there, to be used or removed",
      ]
      #expect(record.err.dropFirst() == (isLeftOver ? told[...] : []), "\(writes)")
    }
    // After the first item, the second, and so on to the last of six.
    #expect(leftovers == 6)
  }

  /// An account whose token has expired.
  private func expired(_ record: RecordedWorld, _ issuer: RotatingIssuer) async throws {
    let handoff = Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"])
    try #require(await record.add(handoff) == 0)
    record.now += 3601
    record.serve { request throws(HTTPFailure) in try issuer.respond(request) }
  }
}

extension Secret {
  /// The text of what a test made up itself.
  fileprivate var plain: String { withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) } }
}
