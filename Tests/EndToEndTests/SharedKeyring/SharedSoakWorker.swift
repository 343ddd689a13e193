import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A user on one of the machines who runs one command after the other; the seed chooses them.
struct SharedSoakWorker {
  let scene: SharedSoakScene
  let number: Int
  var random: SplitMix64
  private(set) var tally = SoakTally()
  /// When something could not be stored, and was told of.
  private(set) var told: [SoakStop] = []

  init(_ scene: SharedSoakScene, number: Int, seed: UInt64) {
    self.scene = scene
    self.number = number
    random = SplitMix64(state: seed &+ UInt64(number) &* 0x9E37)
  }

  private var machine: Int { number % scene.fleet.homes.count }

  private static let verbs = [
    "header", "header", "header", "token", "token", "use", "use", "status", "list", "refresh",
    "force", "allow", "revoke",
  ]

  mutating func work(until end: ContinuousClock.Instant) async throws {
    while ContinuousClock.now < end {
      let verb = Self.verbs[Int.random(in: 0..<Self.verbs.count, using: &random)]
      let subject = scene.subjects[Int.random(in: 0..<scene.subjects.count, using: &random)]
      tally.count(verb, try await step(verb, subject))
    }
  }

  private mutating func step(_ verb: String, _ subject: String) async throws -> Int32 {
    let url = "\(scene.fleet.server.resource)/resource"
    switch verb {
    case "header", "use":
      let header = try await acct(["header", "-a", subject, url])
      guard header.status == 0 else { return header.status }
      let text = TokenText(in: header.text)
      #expect(text?.subject == subject)
      if verb == "use" { try await use(header.text, subject, url) }
      return 0
    case "token":
      let token = try await acct(["token", "-a", subject])
      if token.status == 0 { #expect(TokenText(in: token.text)?.subject == subject) }
      return token.status
    case "force": return try await acct(["refresh", "--force", "-a", subject]).status
    case "allow": return try await acct(["allow", subject, Self.origin]).status
    case "revoke": return try await acct(["allow", "--revoke", subject, Self.origin]).status
    case "list":
      let listed = try await acct(["list", "--json"])
      guard listed.status == 0 else { return listed.status }
      let json = try JSON(parsing: listed.standardOutput).objectValue?["accounts"]?.arrayValue
      let names = json?.compactMap { $0.objectValue?["name"]?.stringValue }
      #expect(Set(names ?? []) == Set(scene.subjects))
      return 0
    default: return try await acct([verb, "-a", subject]).status
    }
  }

  /// Makes a request with the header: what the server says of it is the last word.
  private func use(_ header: String, _ subject: String, _ url: String) async throws {
    let answer = try await ChildProcess("curl", ["-sS", "--noproxy", "*", "-H", "@-", url], input: header).run()
    let told = try? JSON(parsing: answer.standardOutput).objectValue?["sub"]?.stringValue
    // One may end on its way, or with its session.
    #expect(told == subject || told == nil, "\(answer.text)")
  }

  private mutating func acct(_ arguments: [String]) async throws -> ChildProcess.Output {
    let shared = ["--no-input", "--timeout", "\(SharedSoakScene.timeout)"]
    let command = scene.fleet.homes[machine].command(arguments + shared)
    let begin = SoakStop.now()
    let output = try await scene.run(command, on: machine, by: number)
    if output.errorText.contains("could not be stored") {
      tally.toldLosses += 1
      told.append(SoakStop(begin: begin, end: SoakStop.now()))
    }
    let isInterrupted = output.errorText.contains("an earlier renewal was interrupted")
    if output.status == 4, isInterrupted {
      // Only a sign-in mends it; until then nothing more could be seen of this account.
      try await repair(arguments)
    } else if ![0, 7, 10, 11].contains(output.status),
      !output.errorText.contains("\(Self.origin) is not an origin of")
    {
      let words = "\(output.status): \(output.errorText.prefix(400))"
      tally.surprises[words, default: []].insert(arguments[0])
    }
    return output
  }

  private func repair(_ arguments: [String]) async throws {
    guard let subject = arguments.first(where: scene.subjects.contains) else { return }
    let credentials = try await scene.fleet.server.issue(scene.request(subject))
    let home = scene.fleet.homes[machine]
    let words = ["add", "--import", "-", "--name", subject, "--replace", "--no-input"]
    _ = try await home.command(words, input: credentials).run()
  }

  private static let origin = "https://extra.example"
}
