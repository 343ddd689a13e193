import Glibc
import Synchronization

/// What operators do with a cluster, by etcdctl(1).
extension EtcdCluster {
  /// Runs etcdctl with the client's certificate.
  ///
  /// - Parameters:
  ///   - arguments: Behind its options.
  ///   - numbers: The members that it asks; all without it.
  /// - Returns: What it left.
  /// - Throws: ``ProcessFailure`` if it can't be started.
  package func etcdctl(_ arguments: [String], at numbers: [Int]? = nil) async throws(ProcessFailure)
    -> ChildProcess.Output
  {
    let asked = numbers.map { $0.map { endpoints[$0] } } ?? endpoints
    return try await tool(
      [
        "--endpoints", asked.joined(separator: ","), "--cacert", authority.certificate,
        "--cert", client.certificate, "--key", client.key,
      ] + arguments
    ).run()
  }

  private func tool(_ arguments: [String]) -> ChildProcess {
    var tool = ChildProcess("etcdctl", arguments)
    tool.environment["ETCDCTL_API"] = "3"
    return tool
  }

  /// The member that leads, if one of those that answer does.
  package func leader() async throws -> Int? {
    for number in members.indices where isStarted(number) {
      // `ENDPOINT, ID, VERSION, SIZE, IS LEADER, …`
      let told = try await etcdctl(["--command-timeout", "2s", "endpoint", "status"], at: [number])
      let fields = told.text.split(separator: ",").map { $0.drop { $0 == " " } }
      if told.status == 0, fields.count > 4, fields[4] == "true" { return number }
    }
    return nil
  }

  /// Waits until every member answers, and takes writes.
  ///
  /// - Throws: ``HarnessFailure`` if one has ended, or if they do not within a minute.
  package func waitUntilHealthy() async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      let health = try await etcdctl(["endpoint", "health"])
      if health.status == 0 { return }
      let started = running.withLock { $0 }.compactMap(\.self)
      guard ContinuousClock.now < deadline, started.allSatisfy({ $0.exitStatus == nil }) else {
        let words = started.map { String(decoding: $0.standardError.contents(), as: UTF8.self) }
        throw HarnessFailure("etcd is not healthy: \(health.errorText)\n\(words.joined())")
      }
      // Between two questions only: each costs a tenth of a second of a processor.
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Kills all members, and starts them again on what is then in their folders.
  package func restart(_ meanwhile: () async throws -> Void = {}) async throws {
    for number in members.indices { await kill(number) }
    try await meanwhile()
    for number in members.indices { try start(number) }
    try await waitUntilHealthy()
  }

  /// Saves a snapshot to a file, as a backup does.
  package func save(to file: String) async throws {
    let saved = try await etcdctl(["snapshot", "save", file], at: [0])
    guard saved.status == 0 else { throw HarnessFailure("snapshot: \(saved.errorText)") }
  }

  /// Starts the cluster anew from a snapshot.
  package func restore(from file: String) async throws {
    try await restart {
      for member in members {
        let cleared = try await ChildProcess("rm", ["-rf", "--", member.folder]).run()
        guard cleared.status == 0 else { throw HarnessFailure(cleared.errorText) }
        let restored = try await tool([
          "snapshot", "restore", file, "--name", member.name, "--data-dir", member.folder, "--initial-cluster",
          initialCluster, "--initial-cluster-token", Self.token, "--initial-advertise-peer-urls", member.peerURL,
        ]).run()
        guard restored.status == 0 else { throw HarnessFailure("restore: \(restored.errorText)") }
      }
    }
  }

  /// Asks for a user's name and password from now on; the user may use the keys of one keyring.
  package func requirePasswords(user: String, password: String, keyring: String) async throws {
    for words in [
      ["user", "add", "root:made-up-root"], ["user", "grant-role", "root", "root"], ["role", "add", "acct"],
      ["role", "grant-permission", "acct", "--prefix=true", "readwrite", "/acct/\(keyring)/"],
      ["user", "add", "\(user):\(password)"], ["user", "grant-role", user, "acct"], ["auth", "enable"],
    ] {
      let done = try await etcdctl(words)
      guard done.status == 0 else { throw HarnessFailure("\(words): \(done.errorText)") }
    }
  }
}
