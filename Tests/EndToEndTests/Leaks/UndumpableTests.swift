import AcctTestSupport
import Glibc
import Testing

/// acct's memory, and the user's other programs.
@Suite("A process of the same user")
struct UndumpableTests {
  private static let python = Product.source(".build/venv/bin/python")

  @Test("can't look into acct's memory or environment, nor attach to it")
  func debugger() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let input = try OpenInput()
    let signIn = input.feeding(home.signIn(at: server, browser: nil))
    let waiting = try await WaitingSignIn(ordinary(signIn))
    let said = try await looking(into: waiting.process)
    #expect(
      said == [
        "environ EACCES", "mem EACCES", "maps EACCES", "process_vm_readv EPERM", "ptrace EPERM",
      ]
    )
    await waiting.process.stop()
    // Until here: with it goes what acct works with.
    withExtendedLifetime((home, input)) {}
  }

  @Test("could do all of that to a program that has not closed itself")
  func control() async throws {
    let input = try OpenInput()
    // Yama, where the kernel has it, is told that anybody may (PR_SET_PTRACER_ANY).
    let program = """
      import ctypes, sys
      ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1))
      print('ready', flush=True)
      sys.stdin.read()
      """
    let open = try RunningProcess(
      input.feeding(ordinary(ChildProcess(Self.python, ["-c", program])))
    )
    #expect(try await open.firstLine() == "ready")
    #expect(
      try await looking(into: open) == [
        "environ open", "mem open", "maps open", "process_vm_readv open", "ptrace open",
      ]
    )
    await open.stop()
  }

  @Test("finds no core file after a crash, whatever the limits allow", arguments: [SIGABRT, SIGSEGV])
  func core(signal: Int32) async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let folder = try TemporaryFolder()
    let input = try OpenInput()
    var signIn = input.feeding(home.signIn(at: server, browser: nil))
    signIn.arguments =
      ["-c", #"ulimit -S -c "$(ulimit -H -c)"; exec "$@""#, "sh", signIn.program] + signIn.arguments
    signIn.program = "/bin/sh"
    signIn.workingDirectory = folder.path
    let waiting = try await WaitingSignIn(signIn)
    let limits = try await ChildProcess("cat", ["/proc/\(waiting.process.id)/limits"]).run().text
    #expect(limits.contains(#/Max core file size +0 /#))
    waiting.process.send(signal)
    let status = await waiting.process.ended()
    #expect(status == 128 + signal)
    #expect(try await ChildProcess("ls", ["-A", folder.path]).run().text.isEmpty)
    withExtendedLifetime((home, input)) {}
  }

  /// The same command without any right that an ordinary user does not have.
  ///
  /// Root without capabilities is to the kernel the owner of root's processes and files, and no more.
  private func ordinary(_ command: ChildProcess) -> ChildProcess {
    guard geteuid() == 0 else { return command }
    var ordinary = command
    ordinary.program = "setpriv"
    ordinary.arguments =
      ["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", command.program]
      + command.arguments
    return ordinary
  }

  /// What the kernel says to each way of looking into a process.
  private func looking(into process: RunningProcess) async throws -> [String] {
    let looked = try await ordinary(
      ChildProcess(
        Self.python,
        ["-B", Product.source("Tests/Leaks/look_into.py"), "\(process.id)"]
      )
    ).run()
    #expect(looked.status == 0, "\(looked.errorText)")
    return looked.text.split(separator: "\n").map(String.init)
  }
}
