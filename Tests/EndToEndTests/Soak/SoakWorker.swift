import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A user who runs one command after the other; the seed chooses them.
struct SoakWorker {
  let scene: SoakScene
  let number: Int
  var random: SplitMix64
  private(set) var tally = SoakTally()
  private var renames = 0

  init(_ scene: SoakScene, number: Int, seed: UInt64) {
    self.scene = scene
    self.number = number
    random = SplitMix64(state: seed &+ UInt64(number) &* 0x9E37)
  }

  private static let verbs = [
    "header", "header", "header", "token", "token", "use", "use", "status", "list", "switch",
    "refresh", "force", "add", "rename", "allow", "revoke", "observe",
  ]

  mutating func work(until end: ContinuousClock.Instant) async throws {
    while ContinuousClock.now < end {
      let verb = Self.verbs[Int.random(in: 0..<Self.verbs.count, using: &random)]
      let account = scene.accounts[Int.random(in: 0..<scene.accounts.count, using: &random)]
      let status = try await step(verb, account)
      tally.count(verb, status)
    }
  }

  private mutating func step(_ verb: String, _ account: SoakAccount) async throws -> Int32 {
    switch verb {
    case "header":
      let header = try await acct(["header", "-a", account.id, account.url])
      if header.status == 0 { #expect(account.owns(header.text)) }
      return header.status
    case "token":
      let token = try await acct(["token", "-a", account.id])
      if token.status == 0, account.kind == .oauth {
        #expect(TokenText(in: token.text)?.subject == account.subject)
      }
      return token.status
    case "use": return try await use(account)
    case "refresh" where account.kind == .guest, "force" where account.kind == .guest: return 0
    case "force": return try await acct(["refresh", "--force", "-a", account.id]).status
    case "status", "refresh": return try await acct([verb, "-a", account.id]).status
    case "list": return try await list()
    case "switch": return try await acct(["switch", account.id]).status
    case "add":
      guard let subject = account.subject, subject.hasPrefix("d") else { return 0 }
      let added = try await scene.add(try await scene.dpopFile(subject))
      return note(added, ["add", "--import"])
    case "rename":
      renames += 1
      return try await acct(["rename", account.id, "name-\(number)-\(renames)"]).status
    case "allow": return try await acct(["allow", account.id, Self.origin]).status
    case "revoke": return try await acct(["allow", "--revoke", account.id, Self.origin]).status
    default:
      let heads =
        "HTTP/1.1 200 OK\r\nDPoP-Nonce: n\(number)\r\nRateLimit-Limit: 9\r\n"
        + "RateLimit-Remaining: 5\r\nRateLimit-Reset: 60\r\n\r\n"
      return try await acct(["observe", "-a", account.id, account.url], input: heads).status
    }
  }

  /// Makes a request with the header: what the server says of it is the last word.
  private mutating func use(_ account: SoakAccount) async throws -> Int32 {
    let begun = Int64(time(nil))
    let ahead = scene.machine.secondsAhead
    let header = try await acct(["header", "-a", account.id, account.url], ahead: ahead)
    guard header.status == 0, account.kind == .oauth else { return header.status }
    // A header that was printed by a wrong clock has its proof by that, too.
    guard ahead == 0 else { return 0 }
    // Whatever clock stored the token: by the right one, none is sent that had ended.
    if let token = TokenText(in: header.text) {
      #expect(token.end >= begun, "ended \(begun - token.end) s before the command")
    }
    let answer = try await ChildProcess(
      "curl",
      ["-sS", "--noproxy", "*", "-H", "@-", account.url],
      input: header.text
    ).run()
    let subject = try? JSON(parsing: answer.standardOutput).objectValue?["sub"]?.stringValue
    // One that could not be renewed is printed for as long as it is good, and may end on its way.
    let isPast = TokenText(in: header.text).map { $0.end <= Int64(time(nil)) } ?? false
    #expect(subject == account.subject || subject == nil && isPast, "\(answer.text)")
    return 0
  }

  private mutating func list() async throws -> Int32 {
    let listed = try await acct(["list", "--json"])
    guard listed.status == 0 else { return listed.status }
    let json = try JSON(parsing: listed.standardOutput).objectValue?["accounts"]?.arrayValue
    let ids = json?.compactMap { $0.objectValue?["id"]?.stringValue }
    #expect(Set(ids ?? []) == Set(scene.accounts.map(\.id)))
    return 0
  }

  private mutating func acct(
    _ arguments: [String],
    input: String = "",
    ahead: Int? = nil
  ) async throws -> ChildProcess.Output {
    let command = scene.command(arguments + ["--no-input", "--timeout", "10"], input: input, ahead: ahead)
    let output = try await command.run(limit: SoakScene.limit)
    _ = note(output, arguments)
    return output
  }

  /// Looks at how a command ended.
  private mutating func note(_ output: ChildProcess.Output, _ arguments: [String]) -> Int32 {
    if output.errorText.contains("could not be stored") { tally.toldLosses += 1 }
    let isInterrupted = output.errorText.contains("an earlier renewal was interrupted")
    // The network's, the keyring's, and the server's own; anything else is a fault of acct's.
    let isKnown =
      [0, 6, 7, 10, 11].contains(output.status)
      || output.status == 4 && isInterrupted
      || output.errorText.contains("\(Self.origin) is not an origin of")
      || scene.machine.disk != nil && output.errorText.contains("no space left on device")
    if !isKnown {
      let words = "\(output.status): \(output.errorText.prefix(300)) \(output.text.prefix(600))"
      tally.surprises[words, default: []].insert(arguments[0])
    }
    return output.status
  }

  private static let origin = "https://extra.example"
}
