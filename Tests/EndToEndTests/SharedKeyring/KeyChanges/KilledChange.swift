import AcctPorts
import AcctTestSupport
import FleetPorts
import StrictJSON
import Testing

/// A fleet with accounts, on whose first machine a change of the key is killed.
struct KilledChange {
  let fleet: Fleet
  let users = (1...6).map { "user-\($0)" }
  private let injector: FaultInjector
  private let engine: EngineOperator
  private(set) var tally = Tally()
  private(set) var wasNamed = false

  /// What kills have done.
  struct Tally: CustomStringConvertible, Sendable {
    var kills = 0
    /// Accounts that a machine could not use afterwards, and objects of a former key after the command was repeated.
    var lost = 0
    var former = 0
    /// Refresh tokens that came twice.
    var replays: Int64 = 0

    mutating func add(_ other: Tally) {
      kills += other.kills
      lost += other.lost
      former += other.former
      replays += other.replays
    }

    var description: String {
      "\(kills) kills, \(lost) accounts lost, \(former) objects of a former key, \(replays) replays"
    }
  }

  init(on kind: EngineKind) async throws {
    fleet = try await Fleet(on: kind, machines: 3, ["dpop": "off", "keep_alive": false, "lifetime": 86_400])
    injector = try FaultInjector()
    engine = try EngineOperator(of: fleet)
    for user in users { try await fleet.importing(["sub": .string(user), "expires_in": 86_400]) }
  }

  /// The points at which a command is killed: before and after each call that changes or sends something, or that learns
  /// what an engine says.
  func points(of command: [String]) async throws -> [Injection] {
    let (output, points) = try await injector.count(fleet.homes[0].command(command))
    try #require(output.status == 0, "\(output.errorText)")
    return points.filter { !$0.onlyLooks }.flatMap { point in
      [Fault.before, .after].map { Injection(point: point, fault: $0) }
    }
  }

  /// Kills a command of the first machine at a point, or at the last one before it that it comes to.
  ///
  /// - Returns: `false` if it came to its end, as one can whose answers arrived in fewer parts.
  mutating func kill(_ command: [String], at injection: Injection) async throws -> Bool {
    var next: Injection? = injection
    while let injection = next {
      let (output, wasMet) = try await injector.run(fleet.homes[0].command(command), injection)
      guard !wasMet else {
        try #require(output.status == 128 + 9, "\(injection): \(output.status) \(output.errorText)")
        tally.kills += 1
        return true
      }
      try #require(output.status == 0, "\(injection): \(output.errorText)")
      next = injection.earlier
    }
    return false
  }

  /// Has another machine use the accounts: after one kill it renews one of them, each in its turn, after the next it
  /// lists all.
  mutating func expectUsable(_ comment: Comment) async throws {
    guard tally.kills.isMultiple(of: 2) else {
      return try await renew(users[tally.kills / 2 % users.count], comment)
    }
    let names = try await fleet.homes[1].accounts().compactMap { $0["name"]?.stringValue }
    #expect(names.sorted() == users, comment)
    tally.lost += Set(users).subtracting(names).count
  }

  private mutating func renew(_ user: String, _ comment: Comment) async throws {
    let renewed = try await fleet.homes[1].acct("refresh", "--force", user, "--no-input")
    #expect(renewed.status == 0, "\(comment.rawValue): \(renewed.errorText)")
    if renewed.status != 0 { tally.lost += 1 }
  }

  /// Has the third machine's doctor and status name the change, the first time that one has begun and not ended.
  mutating func expectNamed(_ comment: Comment) async throws {
    let header = try JSON(parsing: try #require(try engine.store.get("\(engine.root)header").object).bytes).objectValue
    guard !wasNamed, header?["changing"] == true else { return }
    wasNamed = true
    let (third, words) = (fleet.homes[2], "begun and not ended")
    let doctor = try await third.acct("doctor", "--offline")
    #expect(doctor.status == 0 && doctor.text.contains(words), "\(comment.rawValue): \(doctor.text)\(doctor.errorText)")
    let status = try await third.acct("keyring", "status")
    #expect(status.status == 0 && status.text.contains(words), "\(comment.rawValue): \(status.text)\(status.errorText)")
  }

  /// Gives the same command again on a machine, which has to open every object.
  func repeated(_ command: [String], on machine: Int, _ comment: Comment) async throws {
    let output = try await fleet.homes[machine].command(command + ["--json"]).run()
    #expect(output.status == 0, "\(comment.rawValue), then \(output.errorText)")
    guard output.status == 0 else { return }
    let result = try JSON(parsing: output.standardOutput).objectValue
    #expect(result?["damaged"] == [], "\(comment.rawValue), then \(output.text)")
  }

  /// Reads all objects as the engine's operator does: every one names the header's epoch.
  mutating func expectOneKey(_ comment: Comment) throws {
    let header = try JSON(parsing: try #require(try engine.store.get("\(engine.root)header").object).bytes).objectValue
    let epoch = try #require(header?["epoch"]?.numberValue?.integer)
    #expect(header?["changing"] == nil, comment)
    let objects = try ["a/", "n/"].flatMap { try engine.store.changes(engine.root + $0, 0).objects }
    #expect(objects.count == 2 * users.count, comment)
    let old = objects.filter { KeyEpoch(of: $0.bytes)?.number != epoch }
    #expect(old.map(\.key) == [], comment)
    tally.former += old.count
  }

  /// Renews every account on the other machine, and reads each on the one that has had no part in it, which has to ask
  /// the engine.
  mutating func expectWhole(_ comment: Comment) async throws {
    let (other, third) = (fleet.homes[1], fleet.homes[2])
    for user in users { try await renew(user, comment) }
    _ = try await third.accounts()
    for user in users {
      let token = try await third.acct("token", "-a", user, "--no-input")
      #expect(TokenText(in: token.text)?.subject == user, "\(comment.rawValue): \(token.errorText)")
      if user == users[tally.kills % users.count] {
        #expect(try await other.acct("token", "-a", user, "--no-input").text == token.text, comment)
      }
    }
    #expect(try await fleet.server.counts()["replays"] == 0, comment)
  }

  /// Checks all once more, and returns what the kills have done.
  mutating func end() async throws -> Tally {
    try await expectWhole("at the end")
    engine.end()
    tally.replays = try await fleet.server.counts()["replays"] ?? 0
    #expect(tally.replays == 0)
    return tally
  }

  /// One more machine, which joins by a code; the others know it by a name.
  func newcomer() async throws -> (home: AcctHome, name: String) {
    let newcomer = try await Newcomer(to: fleet.engine.place + ["--name", fleet.name])
    let approved = try await fleet.homes[0].acct("keyring", "approve", newcomer.code)
    try #require(approved.status == 0, "\(approved.errorText)")
    try await newcomer.joined()
    return (newcomer.home, try await fleet.homes[1].otherMachine())
  }
}

/// The number of the key that sealed an object: the eight bytes behind the object's format, which is 2.
struct KeyEpoch {
  let number: Int64

  init?(of object: [UInt8]) {
    let start = Array("acct-shared".utf8) + [2]
    guard object.starts(with: start), object.count > start.count + 8 else { return nil }
    number = object[start.count..<(start.count + 8)].reduce(0) { $0 << 8 | Int64($1) }
  }
}
