import AcctTestSupport
import StrictJSON
import Testing

extension Ordeal {
  static let all = [firstImport, importing, reimporting, signingIn, renewing, switching, removing]

  /// `add` in a home where nothing is.
  static let firstImport = Ordeal(name: "the first add --import", isInUse: false) { scene in
    try scene.startAnew()
    return try await importTrial(scene)
  }

  static let importing = Ordeal(name: "add --import") { scene in
    try await scene.removeAlice()
    return try await importTrial(scene)
  }

  private static func importTrial(_ scene: TortureScene) async throws -> Trial {
    let issued = try await scene.issue()
    return Trial(command: scene.add(issued.file, "--name", "alice")) { after in
      let kept = try await after.scene.aliceToken()
      #expect(kept == nil || kept == issued.token, after.comment)
      #expect(!after.isDone || kept != nil, after.comment)
      try await expectDone(after.scene.add(issued.file, "--name", "alice"), after)
      #expect(try await after.scene.aliceToken() == issued.token, after.comment)
      #expect(try await after.scene.aliceIsServed(), after.comment)
      return .sound
    }
  }

  /// `add` for an identity that is there.
  static let reimporting = Ordeal(name: "add --import again") { scene in
    let old = try await scene.addAlice()
    let issued = try await scene.issue()
    return Trial(command: scene.add(issued.file)) { after in
      // One whole set of credentials or the other, whose key and token are one another's.
      let kept = try await after.scene.aliceToken()
      #expect(kept == old || kept == issued.token, after.comment)
      if !after.wasKilled { #expect(kept == (after.isDone ? issued.token : old), after.comment) }
      #expect(try await after.scene.aliceIsServed(), after.comment)
      try await expectDone(after.scene.add(issued.file), after)
      #expect(try await after.scene.aliceToken() == issued.token, after.comment)
      #expect(try await after.scene.aliceIsServed(), after.comment)
      return .sound
    }
  }

  static let signingIn = Ordeal(name: "add with a sign-in", isSlow: true, sample: 8) { scene in
    try await scene.removeAlice()
    let command = scene.home.signIn(at: scene.server, "--name", "alice")
    return Trial(command: command) { after in
      let kept = try await after.scene.aliceToken()
      #expect(!after.isDone || kept != nil, after.comment)
      if kept != nil { #expect(try await after.scene.aliceIsServed(), after.comment) }
      try await expectDone(after.scene.home.signIn(at: after.scene.server, "--name", "alice"), after)
      #expect(try await after.scene.aliceIsServed(), after.comment)
      return .sound
    }
  }

  /// `token` when it is due.
  static let renewing = Ordeal(name: "a renewal", losesSessions: true) { scene in
    try await scene.addAlice(expired: true)
    let before = try await scene.server.counts()
    return Trial(command: scene.home.command(["token", "-a", "alice"])) { after in
      try await after.scene.server.waitUntilIdle()
      let answered = try await after.scene.server.counts()
      let wasAnswered = answered["refreshes"] != before["refreshes"]
      #expect(answered["replays"] == before["replays"], after.comment)
      #expect(after.isDone || after.output.text.isEmpty || wasAnswered, after.comment)
      let next = try await after.scene.home.acct("token", "-a", "alice")
      if next.status == 4, wasAnswered, !after.isDone {
        #expect(next.errorText.contains("interrupted"), after.comment)
        // Only with the process, or on the answer's way to it: who has the answer keeps it.
        #expect(after.wasKilled || after.injection?.point.kind == "inet-receive", after.comment)
        return .lost
      }
      #expect(next.status == 0, "\(after.comment.rawValue), then \(next.errorText)")
      if after.isDone { #expect(next.text == after.output.text, after.comment) }
      #expect(try await after.scene.aliceIsServed(), after.comment)
      return .sound
    }
  }

  static let switching = Ordeal(name: "switch") { scene in
    if try await !scene.names().all.contains("alice") { try await scene.addAlice() }
    let start = try await scene.home.acct("switch", TortureScene.bystander)
    try #require(start.status == 0, "\(start.errorText)")
    return Trial(command: scene.home.command(["switch", "alice"])) { after in
      let active = try await after.scene.names().active
      #expect(active == "alice" || !after.isDone && active == TortureScene.bystander, after.comment)
      try await expectDone(after.scene.home.command(["switch", "alice"]), after)
      #expect(try await after.scene.names().active == "alice", after.comment)
      return .sound
    }
  }

  static let removing = Ordeal(name: "remove") { scene in
    try await scene.addAlice()
    return Trial(command: scene.home.command(["remove", "alice"])) { after in
      let isThere = try await after.scene.names().all.contains("alice")
      #expect(!after.isDone || !isThere, after.comment)
      let next = try await after.scene.home.acct("remove", "alice")
      #expect(next.status == (isThere ? 0 : 5), "\(after.comment.rawValue), \(next.errorText)")
      #expect(try await after.scene.names().all == [TortureScene.bystander], after.comment)
      return .sound
    }
  }

  /// Asserts that the same command works now.
  private static func expectDone(_ command: ChildProcess, _ after: Aftermath) async throws {
    let next = try await command.run()
    #expect(next.status == 0, "\(after.comment.rawValue), then \(next.errorText)")
  }
}
