import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// Long random walks of real commands at a backend that accepts only the newest session, and
/// rotates it in any answer, whatever else that says.
@Suite("Random walks of a single-use session")
struct SessionWalkTests {
  /// How a request ends: the answer to a session or a refresh request, and whether it was rotated.
  private enum Weather: CaseIterable {
    case fine, rolls, lost, failed, failedAndRolls, limited, nonsense, nonsenseAndRolls, exception

    var rolls: Bool { [.rolls, .failedAndRolls, .nonsenseAndRolls].contains(self) }
  }

  /// The backend: the number of the newest session, and what comes next.
  private struct OneUse {
    var newest = 0
    var numbers: RepeatableNumbers

    var seal: String { "Fe26.2*1*\(newest)" }

    mutating func answer(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
      let path = request.url.path
      let weather = Weather.allCases.randomElement(using: &numbers) ?? .fine
      switch weather {
      case .lost: throw .timedOut
      case .limited: return .json("{}", 429)
      case .exception where path.hasSuffix("session"): return try FakeBackend.refused("exception_thrown").get()
      default: break
      }
      guard request.fields.contains(where: { $0.value == Secret("sid=\(seal)") }) else {
        return path.hasSuffix("refresh-token")
          ? .json(#"{"success":false}"#, 401) : try FakeBackend.refused("session_invalid").get()
      }
      if path.hasSuffix("refresh-token"), ![.failed, .failedAndRolls].contains(weather) {
        newest += 1
        return try FakeBackend.extended(seal).get()
      }
      if weather.rolls { newest += 1 }
      var answer = HTTPResponse.json(body(weather), weather == .failedAndRolls ? 503 : 200)
      if weather == .failed { answer = .json("{}", 500) }
      if weather.rolls { answer.fields.append(("Set-Cookie", "sid=\(seal); Path=/")) }
      return answer
    }

    private func body(_ weather: Weather) -> String {
      switch weather {
      case .nonsense: "<p>"
      case .nonsenseAndRolls: #"{"valid":true,"did":"did:plc:alice","expiresAt":"soon"}"#
      default: #"{"valid":true,"did":"did:plc:alice","handle":"alice.example.com"}"#
      }
    }
  }

  private static let commands: [[String]] = [
    ["header"], ["status", "--check"], ["refresh"], ["refresh", "--force"], ["token"],
    ["request", "\(FakeBackend.origin)/things"], ["request", "\(FakeBackend.origin)/api/auth/session"],
  ]

  @Test("A single-use session is never lost while every answer that rotates it arrives", arguments: 0..<6)
  func walk(seed: Int) async throws {
    let record = RecordedWorld()
    try await record.plantSession(left: 60)
    let backend = Mutex(OneUse(numbers: RepeatableNumbers(seed: UInt64(seed))))
    record.keyring.put(.session, Secret(backend.withLock { $0.seal }))
    record.serve { request throws(HTTPFailure) in
      let answer = backend.withLock { backend -> Result<HTTPResponse, HTTPFailure> in
        do throws(HTTPFailure) { return .success(try backend.answer(request)) } catch { return .failure(error) }
      }
      return try answer.get()
    }
    var numbers = RepeatableNumbers(seed: UInt64(seed) + 100)
    for _ in 0..<40 {
      let command = Self.commands.randomElement(using: &numbers) ?? []
      record.now += Int64.random(in: 0...300, using: &numbers)
      record.clear()
      let status = await record.run(command)
      #expect([0, 4, 9, 10, 11].contains(status), "\(command): \(status)")
      #expect(record.sealed == backend.withLock { $0.seal }, "after \(command): \(record.err)")
      #expect(try record.member("standing") == "signedIn", "after \(command): \(record.err)")
    }
  }
}
