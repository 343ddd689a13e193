import AcctTestSupport
import Glibc
import Testing

/// The memory of a running acct, which only root can read.
///
/// Everything here runs without root's rights, even where the tests have them: those would open any
/// process. The kernel then asks whether the user is the same, which holds, and whether the process
/// may be dumped (ptrace(2), "Ptrace access mode checking").
@Suite("Protection of a running acct")
struct UndumpableTests {
  private let home: AcctHome

  init() async throws {
    home = try AcctHome()
    let added = try await home.acct("add", "--import", Product.source("Examples/bob.json"))
    try #require(added.status == 0, "\(added.errorText)")
  }

  @Test("A running acct is closed to debuggers of the same user and to readers of its memory")
  func closed() async throws {
    let proxy = try RunningProcess(home.command(["proxy"]).withoutRights())
    _ = try await proxy.firstLine()
    let answers = try await looksInto(proxy)
    #expect(Set(answers.keys) == ["environ", "maps", "mem", "process_vm_readv", "ptrace"])
    for (way, answer) in answers { #expect(["EACCES", "EPERM"].contains(answer), "\(way)") }
    await proxy.stop()
  }

  /// Also what shows that the looks above would have seen something.
  @Test("A command that exec runs is as open as any other")
  func opened() async throws {
    let waiting = ["exec", "--", "sh", "-c", "echo; exec sleep 60"]
    let command = try RunningProcess(home.command(waiting).withoutRights())
    _ = try await command.firstLine()
    let answers = try await looksInto(command)
    // The other ways may be closed for all programs (Yama's ptrace_scope).
    for way in ["environ", "maps"] { #expect(answers[way] == "open", "\(way)") }
    await command.stop()
  }

  @Test(
    "A crash of acct leaves no core, even if its caller's would",
    arguments: [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGQUIT, SIGSYS]
  )
  func core(_ signal: Int32) async throws {
    let folder = try TemporaryFolder()
    var acct = home.command(["proxy"]).withoutRights()
    acct.arguments = ["-c", #"ulimit -S -c "$(ulimit -H -c)" && exec "$@""#, "sh", acct.program] + acct.arguments
    acct.program = "sh"
    acct.workingDirectory = folder.path
    let proxy = try RunningProcess(acct)
    _ = try await proxy.firstLine()
    let limits = try await ChildProcess("cat", ["/proc/\(proxy.id)/limits"]).run().text
    let limit = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    #expect(limit?.split(separator: " ").dropFirst(4).first == "0", "the soft limit, in bytes")
    proxy.send(signal)
    #expect(await proxy.ended() == 128 + signal)
    #expect(!proxy.hasDumpedCore)
    #expect(try await ChildProcess("ls", ["-A", folder.path]).run().text == "")
  }

  /// What the kernel says to each way of looking into a process.
  private func looksInto(_ process: RunningProcess) async throws -> [String: String] {
    let look = ChildProcess(
      Product.source(".build/venv/bin/python"),
      ["-B", Product.source("Tests/Leaks/look_into.py"), "\(process.id)"]
    )
    let answers = try await look.withoutRights().run()
    try #require(answers.status == 0, "\(answers.errorText)")
    let pairs = answers.text.split(separator: "\n").map { $0.split(separator: " ") }
    return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
  }
}

extension ChildProcess {
  /// The same command, of the same user, without the rights that root has over others' processes.
  fileprivate func withoutRights() -> ChildProcess {
    guard geteuid() == 0 else { return self }
    var plain = self
    plain.program = "setpriv"
    plain.arguments = ["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", program] + arguments
    return plain
  }
}
