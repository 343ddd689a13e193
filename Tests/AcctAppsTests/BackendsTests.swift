import AcctApps
import AcctEngine
import AcctModel
import AcctPorts
import AcctTestSupport
import Release
import Secrets
import Testing

@Suite("What the core asks of apps' backends")
struct BackendsTests {
  private let record = RecordedWorld()
  private let backends = Backends(.none)

  private var context: EngineContext { EngineContext(record.world(), .forbidden, timeout: 1) { _ in } }

  @Test("The field of a guest has this machine's identifier, which is made once")
  func companion() async throws {
    let field = try await backends.companion(context)
    #expect(field.name == "X-Device-ID")
    #expect(try await backends.companion(context) == field)
    let kept = try #require(record.file(.deviceID)?.dropLast())
    #expect(field.value == Secret(String(kept)))
  }

  @Test("A damaged identifier of this machine is no field, and its failure has the annex's words")
  func damaged() async throws {
    record.corrupt(.deviceID, with: "nonsense\n")
    let error = await #expect(throws: EngineError.self) { try await backends.companion(context) }
    guard case .told(let told)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(told.message.code == "damagedDeviceID")
  }

  @Test("An account that no backend issued has no way to sign in at one")
  func otherAccount() throws {
    let account = Account(
      id: try AccountID("6f1c9a52-3b0e-4c57-9d6a-1f2e3d4c5b6a"),
      name: try AccountName("a"),
      kind: .oauth,
      tokenType: .bearer,
      identity: Identity(subject: "s", issuer: nil, clientID: nil),
      source: .issuer,
      origins: OwnOrigins(),
      tokenLifetime: TokenLifetime(expiresAt: nil, canRenew: false),
      createdAt: .epoch
    )
    let changes = Login.Changes(opensBrowser: false, callbackTimeout: 1)
    #expect(try SignInWay.backend(of: account, changes) == nil)
  }
}
