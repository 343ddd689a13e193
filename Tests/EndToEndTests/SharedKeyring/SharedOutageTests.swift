import AcctTestSupport
import StrictJSON
import Testing

/// An engine that is away, and one that comes back as it was some time ago.
@Suite("An engine that fails")
struct SharedOutageTests {
  @Test("An answer that the engine can't take is kept on its machine, and stored when the engine is back")
  func quorumLost() async throws { try await EngineKind.each { try await quorumLost(on: $0) } }

  private func quorumLost(on kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind)
    try await fleet.importExpired()
    try await fleet.hold(afterEffect: true)
    let holder = try RunningProcess(fleet.token(on: 0))
    try await fleet.server.wait(held: 1)
    try await fleet.engine.takeAway()
    try await fleet.server.control("release")
    let asked = try await fleet.server.requests(to: "token").count
    let other = try RunningProcess(fleet.token(on: 1))
    for process in [holder, other] {
      let output = await process.output(within: .seconds(120))
      #expect(output.status == 7, "\(output.errorText)")
      #expect(output.text.isEmpty)
    }
    let again = try await fleet.token(on: 0).run(limit: .seconds(120))
    #expect(again.status == 7 && again.text.isEmpty, "\(again.errorText)")
    #expect(try await fleet.server.requests(to: "token").count == asked)
    // No file but the ciphertext's has grown.
    for home in fleet.homes { #expect(try await home.files(containing: secretForms) == []) }

    try await fleet.engine.bringBack()
    let stored = try await fleet.token(on: 0).run()
    #expect(stored.status == 0, "\(stored.errorText)")
    let elsewhere = try await fleet.token(on: 1).run()
    #expect(elsewhere.status == 0, "\(elsewhere.errorText)")
    #expect(elsewhere.text == stored.text)
    #expect(try await fleet.server.requests(to: "token").count == asked)
    try await fleet.expect(refreshes: 1)
    print(
      "\(kind.rawValue), quorum lost after the answer: 3 calls ended with 7, then 1 token everywhere; "
        + "1 renewal, 0 reused, 0 lost"
    )
    try await fleet.server.expectNothingWrong()
  }

  @Test("While the engine is away a good token is printed, and an expired one is not renewed")
  func away() async throws { try await EngineKind.each { try await away(on: $0) } }

  private func away(on kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind)
    try await fleet.importExpired("expired")
    try await fleet.importing(["sub": "good", "expires_in": 3600])
    for home in fleet.homes {
      let header = try await home.acct("header", "-a", "good", "\(fleet.server.resource)/resource")
      #expect(header.status == 0, "\(header.errorText)")
    }
    try await fleet.engine.takeAway()
    let asked = try await fleet.server.requests(to: "token").count
    for (number, home) in fleet.homes.enumerated() {
      let url = "\(fleet.server.resource)/resource"
      let header = try await home.acct("header", "-a", "good", url)
      #expect(header.status == 0, "\(header.errorText)")
      #expect(header.text.hasPrefix("Authorization: Bearer "))
      let listed = try await home.acct("list")
      #expect(listed.status == 0 && listed.text.contains("good"), "\(listed.errorText)")
      let refused = try await fleet.token(of: "expired", on: number).run(limit: .seconds(120))
      #expect(refused.status == 7, "\(refused.errorText)")
      #expect(refused.errorText.contains("hint: "))
    }
    #expect(try await fleet.server.requests(to: "token").count == asked)
    try await fleet.engine.bringBack()
    for number in fleet.homes.indices {
      let renewed = try await fleet.token(of: "expired", on: number).run()
      #expect(renewed.status == 0, "\(renewed.errorText)")
    }
    try await fleet.expect(refreshes: 1)
  }

  @Test("An engine that was restored from a backup is read, and renews nothing until it is trusted")
  func restored() async throws { try await EngineKind.each { try await restored(on: $0) } }

  private func restored(on kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind)
    for subject in ["renewed", "untouched"] { try await fleet.importExpired(subject) }
    try await fleet.engine.backUp()
    let renewed = try await fleet.token(of: "renewed", on: 0).run()
    #expect(renewed.status == 0, "\(renewed.errorText)")
    try await fleet.engine.restore()

    // What this machine has is good for as long as the token is.
    let read = try await fleet.token(of: "renewed", on: 0).run()
    #expect(read.status == 0, "\(read.errorText)")
    #expect(read.text == renewed.text)
    let asked = try await fleet.server.requests(to: "token").count
    let refused = try await fleet.token(of: "untouched", on: 0).run()
    #expect(refused.status == 7, "\(refused.errorText)")
    #expect(refused.errorText.contains("acct keyring trust"), "\(refused.errorText)")
    #expect(try await fleet.server.requests(to: "token").count == asked)

    let trusted = try await fleet.homes[0].acct("keyring", "trust")
    #expect(trusted.status == 0, "\(trusted.errorText)")
    let mended = try await fleet.token(of: "untouched", on: 0).run()
    #expect(mended.status == 0, "\(mended.errorText)")
    try await fleet.expect(refreshes: 2)
    print("\(kind.rawValue), backup restored: renewal refused with 7, mended by `keyring trust`")
  }

  @Test("A full etcd is read, and renews nothing until there is room")
  func full() async throws {
    let engine = try await EtcdEngine(arguments: ["--quota-backend-bytes", "1048576"])
    let fleet = try await Fleet(on: .etcd, engine)
    try await fleet.importExpired("expired")
    try await fleet.importing(["sub": "good", "expires_in": 3600])
    let filler = String(repeating: "x", count: 100_000)
    var isFull = false
    for number in 0..<40 where !isFull {
      isFull = try await engine.cluster.etcdctl(["put", "filler-\(number)", filler]).status != 0
    }
    try #require(isFull)
    let asked = try await fleet.server.requests(to: "token").count
    let read = try await fleet.token(of: "good", on: 1).run()
    #expect(read.status == 0, "\(read.errorText)")
    let refused = try await fleet.token(of: "expired", on: 1).run(limit: .seconds(120))
    #expect(refused.status == 7, "\(refused.errorText)")
    #expect(refused.errorText.contains("space"), "\(refused.errorText)")
    #expect(try await fleet.server.requests(to: "token").count == asked)

    _ = try await engine.cluster.etcdctl(["del", "--prefix", "filler"])
    try await engine.compact()
    let disarmed = try await engine.cluster.etcdctl(["alarm", "disarm"])
    try #require(disarmed.status == 0, "\(disarmed.errorText)")
    let renewed = try await fleet.token(of: "expired", on: 1).run()
    #expect(renewed.status == 0, "\(renewed.errorText)")
    try await fleet.expect(refreshes: 1)
    print("etcd, quota full: reads work, renewal refused with 7, nothing sent")
  }

  @Test("Compaction changes nothing")
  func compaction() async throws { try await EngineKind.each { try await compaction(on: $0) } }

  private func compaction(on kind: EngineKind) async throws {
    let fleet = try await Fleet(on: kind)
    try await fleet.importExpired("first")
    _ = try await fleet.token(of: "first", on: 0).run()
    try await fleet.importExpired("second")
    let renamed = try await fleet.homes[0].acct("rename", "second", "other")
    #expect(renamed.status == 0, "\(renamed.errorText)")
    try await fleet.engine.compact()
    for (number, home) in fleet.homes.enumerated() {
      let names = try await home.accounts().compactMap { $0["name"]?.stringValue }
      #expect(names.sorted() == ["first", "other"])
      for name in names {
        let token = try await fleet.token(of: name, on: number).run()
        #expect(token.status == 0, "\(token.errorText)")
      }
    }
    try await fleet.expect(refreshes: 2)
  }
}
