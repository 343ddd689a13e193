import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Renewal of a sealed session that machines share")
struct SharedSessionTests {
  let fleet = Fleet()

  /// A session with so many seconds left on both machines, and its backend.
  private func backends(
    left: Int64,
    _ answers: [String: [FakeBackend.Answer]]
  ) async throws -> (first: FakeBackend, second: FakeBackend) {
    let planted = RecordedWorld()
    try await planted.plantSession(left: left)
    let id = try #require(planted.keyring.items.keys.first)
    let file = try #require(planted.file(.account(id)))
    try fleet.engine.plant(id, "alice", record: file, [.session: Secret("Fe26.2*1*old")])
    for machine in [fleet.first, fleet.second] {
      #expect(await machine.acct("list") == 0, "\(machine.err)")
      #expect(await machine.acct("switch", "alice") == 0)
    }
    fleet.engine.forgetCalls()
    return (FakeBackend(fleet.first, answers), FakeBackend(fleet.second, [:]))
  }

  @Test("A due session is confirmed by one machine, and the other prints what that has got")
  func rotated() async throws {
    let valid = FakeBackend.valid(fleet.first, rotated: "Fe26.2*1*new")
    let (first, second) = try await backends(left: 60, ["session": [valid]])
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "Fe26.2*1*new\n")
    #expect(await fleet.second.acct("token") == 0, "\(fleet.second.err)")
    #expect(fleet.second.out == "Fe26.2*1*new\n")
    #expect(first.asked == ["session"])
    #expect(second.asked.isEmpty)
    #expect(fleet.record.contains(#""renewalStartedAt":null"#))
    #expect(fleet.engine.accounts.values.allSatisfy { $0.owner == nil })
  }

  @Test("A session that is extended is claimed for each request that may spend it")
  func extended() async throws {
    let (first, _) = try await backends(
      left: 60,
      [
        "session": [
          FakeBackend.valid(fleet.first, left: 60, rotated: "Fe26.2*1*rolled"),
          FakeBackend.valid(fleet.first),
        ],
        "refresh-token": [FakeBackend.extended("Fe26.2*1*new")],
      ]
    )
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "Fe26.2*1*new\n")
    #expect(first.asked == ["session", "refresh-token", "session"])
    #expect(
      fleet.engine.calls == ["fetch", "claim", "store", "claim", "store", "claim", "store"]
    )
    #expect(fleet.stored(.session) == "Fe26.2*1*new")
  }

  @Test("A session request whose time has passed is not sent; the next one is")
  func withheld() async throws {
    let (first, _) = try await backends(left: 60, ["session": [FakeBackend.valid(fleet.first)]])
    fleet.firstKeyring.closeWindow(after: 0, for: 1)
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(first.asked == ["session"])
    #expect(fleet.engine.calls.count { $0 == "claim" } == 2)
  }

  @Test("A session that another machine has renewed meanwhile is used without a request")
  func forestalled() async throws {
    let (first, _) = try await backends(left: 60, [:])
    let end = Timestamp(clamped: fleet.first.now + 86_400).description
    let now = Timestamp(clamped: fleet.first.now).description
    let members = try JSON(parsing: Array(fleet.record.utf8)).objectValue
    var record = try #require(members)
    record["expiresAt"] = .string(end)
    record["validatedAt"] = .string(now)
    let bytes = JSON.object(record).serialized()
    fleet.engine.interruptNext("claim") { [engine = fleet.engine] in
      engine.change { stored in
        stored.items[.session] = Secret("Fe26.2*1*elsewhere")
        stored.record = bytes
      }
    }
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "Fe26.2*1*elsewhere\n")
    #expect(first.asked.isEmpty)
  }

  @Test("A session that the backend puts in the place of a request's is stored, and the other machine uses it")
  func ofRequest() async throws {
    _ = try await backends(left: 9_000, [:])
    fleet.first.serve { _ throws(HTTPFailure) in
      .json("{}", 200, ("Set-Cookie", "sid=Fe26.2*1*rolled; HttpOnly; Path=/"))
    }
    #expect(await fleet.first.acct("request", "\(FakeBackend.origin)/things") == 0)
    #expect(fleet.stored(.session) == "Fe26.2*1*rolled")
    #expect(await fleet.second.acct("list") == 0)
    #expect(await fleet.second.acct("token") == 0)
    #expect(fleet.second.out == "Fe26.2*1*rolled\n")
  }

  @Test("A session of an answer is stored later if the engine is away, and the request succeeds no less")
  func ofRequestAway() async throws {
    _ = try await backends(left: 9_000, [:])
    fleet.engine.fail(with: .unavailable(reason: "a test said so"))
    fleet.first.serve { _ throws(HTTPFailure) in
      .json("{}", 200, ("Set-Cookie", "sid=Fe26.2*1*rolled; HttpOnly; Path=/"))
    }
    #expect(await fleet.first.acct("request", "--no-input", "\(FakeBackend.origin)/things") == 7)
    #expect(fleet.firstKeyring.hasPending)
    fleet.engine.fail(with: nil)
    #expect(await fleet.first.acct("list") == 0)
    #expect(fleet.stored(.session) == "Fe26.2*1*rolled")
  }
}
