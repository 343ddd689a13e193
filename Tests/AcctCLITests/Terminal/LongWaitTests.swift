import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import Testing

/// The line on the terminal while a command waits, with the time left.
@Suite("A wait of more than a second")
struct LongWaitTests {
  private let record = RecordedWorld()
  private static let url = "https://api.example/v1"

  /// Lets a second pass for a wait that has begun, until a line shows it; `false` if none comes.
  private static func passSecond(_ record: RecordedWorld) async -> Bool {
    let shown = record.passing.count
    // Each turn lets other tasks run; none of them needs as many.
    for _ in 0..<100_000 {
      // What rests after the line, rests for the second after it.
      record.endRests(whilePassing: shown)
      if record.passing.count > shown { return true }
      await Task.yield()
    }
    return false
  }

  /// Makes a request that takes two seconds, and is then lost.
  private func request(_ options: String...) async -> Int32 {
    record.provide("-", "made-up-token")
    if record.accountFiles == 0 {
      #expect(await record.acct("add", "--token", "-", "--allow-origin", "https://api.example") == 0, "\(record.err)")
    }
    var world = record.world()
    world.transport = HTTPTransport(
      send: { _ throws(HTTPFailure) in throw .timedOut },
      stream: { [record] _ throws(HTTPFailure) in
        if await Self.passSecond(record) { _ = await Self.passSecond(record) }
        throw .timedOut
      }
    )
    return await Acct.run(["request", Self.url] + options, in: world)
  }

  @Test("A terminal shows the server and the time left, second by second, and then nothing")
  func server() async {
    record.set("TERM", to: "xterm")
    record.showOnTerminal()
    #expect(await request() == 10)
    #expect(
      record.passing == ["waiting for api.example: 29 s left", "waiting for api.example: 28 s left", ""]
    )
  }

  @Test("Nothing is shown where no person looks", arguments: [["--json"], ["--quiet"]])
  func scripts(options: [String]) async {
    record.set("TERM", to: "xterm")
    record.showOnTerminal()
    #expect(await request(options[0]) == 10)
    #expect(record.passing.isEmpty)
  }

  @Test("A terminal that replaces no lines, and a pipe, get no line")
  func noTerminal() async {
    #expect(await request() == 10)
    record.set("TERM", to: "dumb")
    record.showOnTerminal()
    #expect(await request() == 10)
    #expect(record.passing.isEmpty)
  }

  @Test("Another acct that has a lock is waited for with the time left")
  func lock() async {
    record.set("TERM", to: "xterm")
    record.showOnTerminal()
    #expect(await record.add(Handoffs.bearer()) == 0)
    var world = record.world()
    world.files.lock = { [record] _, _ throws(FilesFailure) in
      _ = await Self.passSecond(record)
      throw .busy
    }
    #expect(await Acct.run(["rename", "bob.example.com", "me"], in: world) != 0, "\(record.err)")
    #expect(record.passing.first?.hasPrefix("waiting for another acct: ") == true, "\(record.passing)")
    #expect(record.passing.last?.isEmpty == true)
  }
}
