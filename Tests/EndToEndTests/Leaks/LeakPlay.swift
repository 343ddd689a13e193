import AcctTestSupport
import StrictJSON
import Testing

/// All that acct does, in several scenes at once: each mostly waits, for a browser, a device's code,
/// its servers.
struct LeakPlay {
  let subject: LeakWatch.Subject

  /// What is played; together they have every command, and every way in which it can fail.
  enum Scene: CaseIterable { case vault, bus, trouble, network, outage, proxy, etcd, postgres }

  /// The scenes to play.
  ///
  /// Those of one engine, or of one keyring, mostly repeat what another scene has: in the short form half of them are
  /// looked through for calls, and the other half for memory. The long form has all of them for both.
  private var scenes: [Scene] {
    if TestExtent.isFull { return Scene.allCases }
    return switch subject {
    case .calls: [.vault, .trouble, .network, .outage, .proxy, .etcd]
    case .memory: [.vault, .trouble, .network, .bus, .postgres]
    }
  }

  /// Plays every scene.
  ///
  /// - Returns: Every row that was run.
  /// - Throws: What starting servers and processes throws.
  func everything() async throws -> [LeakRow] {
    try await withThrowingTaskGroup(of: [LeakRow].self) { group in
      for scene in scenes { group.addTask { try await play(scene) } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private func play(_ scene: Scene) async throws -> [LeakRow] {
    switch scene {
    case .vault: try await inVault()
    case .bus: try await onBus()
    case .trouble: try await inTrouble()
    case .network: try await onNetwork()
    case .outage: try await inOutage()
    case .proxy: try await byProxy()
    case .etcd: try await onEngine(.etcd)
    case .postgres: try await onEngine(.postgres)
    }
  }

  /// Every command, with a vault.
  private func inVault() async throws -> [LeakRow] {
    let stage = try await LeakStage(subject, makesVault: true)
    try await stage.run(try await stage.adding())
    let tpm = try await SoftwareTPM()
    try await stage.run(stage.staticTokens())
    try await stage.runProxy()
    try await stage.runTyped()
    try await stage.run(
      try await stage.using() + stage.wrongAddresses() + stage.badFiles() + stage.removing()
        + stage.vault(sealedIn: tpm) + [stage.unwantedCallback()] + [LeakRow("vault reset", ["--yes", "-v"])]
    )
    try await stage.expectNoLeaks()
    try await stage.server.expectNothingWrong()
    #expect(try await stage.sessions.violations() == [])
    // It would be silent, too, if there was nothing to find.
    for kind in ["access_token", "refresh_token", "code", "code_verifier", "device_code", "key"] {
      #expect(stage.watch.secrets.count(of: kind) > 0, "\(kind)")
    }
    return stage.watch.rows
  }

  /// With a keyring on the bus, which alone is told.
  private func onBus() async throws -> [LeakRow] {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let stage = try await LeakStage(subject, in: keyring)
    try await stage.run(try await stage.adding())
    try await stage.run(stage.staticTokens())
    try await stage.run(try await stage.using())
    let closed = try await stage.closed(6)
    try keyring.lock()
    try await stage.run(closed)
    try keyring.unlock()
    try await stage.run(stage.noVault())
    try await stage.run(stage.removing())
    try await stage.run(try await stage.adding().prefix(1))
    try await stage.runOverwritten(keyring)
    try await stage.expectNoLeaks()
    return stage.watch.rows
  }

  /// With an AT Protocol identity, and a backend that hands over its tokens.
  private func onNetwork() async throws -> [LeakRow] {
    let stage = try await LeakNetwork(subject)
    try await stage.runUsed()
    try await stage.expectNoLeaks()
    return stage.watch.rows
  }

  /// With one proxy for accounts of two kinds.
  private func byProxy() async throws -> [LeakRow] {
    let stage = try await LeakStage(subject)
    try await stage.run(stage.forAll())
    try await stage.runProxyForAll()
    try await stage.expectNoLeaks()
    try await stage.server.expectNothingWrong()
    return stage.watch.rows
  }

  /// When the keyring dies: while a server works, and then for good.
  private func inOutage() async throws -> [LeakRow] {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let stage = try await LeakStage(subject, in: keyring)
    let closed = try await stage.closed(7)
    try await stage.run([try await stage.importing("me")])
    try await stage.server.fault(["endpoint": "token", "kind": "delay", "count": 1])
    let refresh = LeakRow("refresh", ["me", "--force", "--no-input", "--json", "-v"], status: 7)
    try await stage.watch.run(refresh) { _ in
      try await stage.server.wait(held: 1)
      keyring.kill()
      try await stage.server.control("release")
    }
    try await stage.run(closed)
    try await stage.run(stage.noVault())
    try await stage.expectNoLeaks()
    return stage.watch.rows
  }

  /// With a keyring that several machines share, and when its engine is away.
  private func onEngine(_ kind: EngineKind) async throws -> [LeakRow] {
    let engine = try await kind.start()
    let stage = try await LeakStage(subject, shares: true)
    stage.watch.secrets.add("database_password", PostgresServer.password)
    try await stage.run(stage.sharing(engine))
    try await stage.run([try await stage.importing("me")])
    try await stage.run(stage.usingShared())
    let newcomer = try await Newcomer(to: engine.place)
    try await stage.run(stage.approving(newcomer.code))
    try await newcomer.joined()
    try await stage.run(stage.removing(try await stage.home.otherMachine()))
    try await engine.takeAway()
    try await stage.run(stage.sharedOutage(engine))
    try await engine.bringBack()
    try await stage.run(stage.leaving(kind))
    try await stage.expectNoLeaks()
    try await stage.server.expectNothingWrong()
    return stage.watch.rows
  }

  /// When servers fail or answer nonsense.
  private func inTrouble() async throws -> [LeakRow] {
    let stage = try await LeakStage(subject)
    try await stage.run(try await stage.adding())
    try await stage.runRefused()
    try await stage.run(stage.badAnswers())
    try await stage.runDamaged()
    try await stage.run(stage.nobody())
    try await stage.expectNoLeaks()
    return stage.watch.rows
  }
}
