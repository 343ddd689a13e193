import AcctPorts
import Glibc
import LiveSystem
import Secrets
import Testing

@Suite("Programs that are run to their end")
struct ProgramsTests {
  let scratch: ScratchFolder
  private let programs = Programs.live(undoing: Hardening(mask: 0o022, coreLimit: 0))

  init() throws { scratch = try ScratchFolder() }

  private func shell(_ script: String, input: ProgramCall.Input = .nothing) -> ProgramCall {
    ProgramCall("sh", ["-c", script], input: input, timeLimit: .seconds(60))
  }

  private func run(_ call: ProgramCall) async throws -> ProgramResult { try await programs.run(call) }

  @Test("A program's output, errors and status are returned")
  func result() async throws {
    let result = try await run(shell("printf 'one\\0two'; echo bad >&2; exit 7"))
    #expect(result.status == 7)
    #expect(result.output == Secret("one\0two"))
    #expect(result.errors == Secret("bad\n"))
  }

  @Test("A program gets its arguments unchanged, without a shell")
  func arguments() async throws {
    let odd = ["a b", "", "$(id)", "*", "'\""]
    let result = try await run(ProgramCall("printf", ["%s|"] + odd))
    #expect(result.output == Secret(odd.map { $0 + "|" }.joined()))
  }

  @Test("A program reads the text that the call gives, and nothing otherwise")
  func input() async throws {
    #expect(try await run(shell("cat", input: .text("https://a.example"))).output == Secret("https://a.example"))
    #expect(try await run(shell("cat")).output == Secret(""))
  }

  @Test("A program has no terminal, and none of acct's files and settings")
  func surroundings() async throws {
    let script = "ls /proc/self/fd | wc -l; umask; ulimit -c; (: </dev/tty) 2>/dev/null && echo tty"
    // `ls` has its three streams and the folder that it lists.
    #expect(try await run(shell(script)).output == Secret("4\n0022\n0\n"))
  }

  @Test("A program that may ask the user has this process's standard input and standard error")
  func terminal() async throws {
    let result = try await run(shell("readlink /proc/self/fd/0 /proc/self/fd/2", input: .terminal))
    let own = ["0", "2"].map { name in
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        guard let start = buffer.baseAddress else { return -1 }
        return unsafe readlink("/proc/self/fd/\(name)", start.assumingMemoryBound(to: CChar.self), buffer.count)
      }
      return String(decoding: bytes[..<max(0, count)], as: UTF8.self) + "\n"
    }
    #expect(result.output == Secret(own.joined()))
    #expect(result.errors.count == 0)
  }

  @Test("Output up to the limit is whole, and more than that is an error")
  func limit() async throws {
    var call = shell("head -c 300000 /dev/zero")
    call.outputLimit = 300_000
    #expect(try await run(call).output.count == 300_000)
    call.outputLimit = 299_999
    await #expect(throws: ProgramFailure.tooLong(program: "sh")) { try await programs.run(call) }
  }

  @Test("Long errors do not stop a program; their beginning is kept")
  func longErrors() async throws {
    let result = try await run(shell("head -c 300000 /dev/zero >&2; echo done"))
    #expect(result.output == Secret("done\n"))
    #expect(result.errors.count == 4096)
  }

  @Test("A program that ends by a signal has the status that shells give it")
  func signal() async throws { #expect(try await run(shell("kill -TERM $$")).status == 143) }

  @Test("What a program leaves running is not waited for")
  func leftRunning() async throws {
    let result = try await run(shell("sleep 3 & echo done"))
    #expect(result.output == Secret("done\n"))
  }

  @Test("A program that does not end in time is killed, with what it has started")
  func timeLimit() async throws {
    try scratch.makeFIFO("end")
    let end = unsafe open(scratch.path(of: "end"), O_RDONLY | O_NONBLOCK)
    try #require(end >= 0)
    defer { close(end) }
    var call = shell("exec 9>'\(scratch.path(of: "end"))'; sleep 300 & echo >&9; sleep 300")
    call.timeLimit = .seconds(1)
    await #expect(throws: ProgramFailure.timedOut(program: "sh")) { try await programs.run(call) }
    // On a busy machine it may not have come so far.
    var byte: UInt8 = 0
    guard unsafe read(end, &byte, 1) == 1 else { return }
    // Hung up once nothing has it open for writing.
    var wait = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&wait, 1, 60_000) == 1)
  }

  @Test("A program that has closed its streams is waited for until its time is up")
  func closedStreams() async throws {
    #expect(try await run(shell("exec >&- 2>&-; sleep 0.2; exit 5")).status == 5)
    var call = shell("exec >&- 2>&-; sleep 300")
    call.timeLimit = .milliseconds(200)
    await #expect(throws: ProgramFailure.timedOut(program: "sh")) { try await programs.run(call) }
  }

  @Test("A program ends when the caller is cancelled")
  func cancellation() async throws {
    let call = shell("sleep 300")
    let task = Task { [programs] in
      do throws(ProgramFailure) {
        return Result<ProgramResult, ProgramFailure>.success(try await programs.run(call))
      } catch {
        return .failure(error)
      }
    }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
  }

  @Test("A program that is missing, or cannot be run, is an error that says so")
  func unusable() async throws {
    let missing = scratch.path(of: "missing")
    await #expect(throws: ProgramFailure.unusable(.notFound(program: missing))) {
      try await programs.run(ProgramCall(missing, []))
    }
    let text = try scratch.write("text", to: "text")
    await #expect(throws: ProgramFailure.unusable(.notExecutable(program: text, reason: "permission denied"))) {
      try await programs.run(ProgramCall(text, []))
    }
    #expect(programs.exists("sh"))
    #expect(!programs.exists(missing) && !programs.exists(text))
  }
}
