import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A command that has run under a trace of everything that it asked of the kernel.
struct TracedRun {
  let output: ChildProcess.Output
  private let traces: TemporaryFolder
  private let program: String

  /// - Parameters:
  ///   - command: What is to be run.
  ///   - input: What it reads from, in place of its own input.
  ///   - meanwhile: Is called with the process while it runs, and ends one that does not by itself.
  /// - Throws: What starting it throws.
  init(
    _ command: ChildProcess,
    from input: (any LiveInput)? = nil,
    _ meanwhile: (RunningProcess) async throws -> Void = { _ in }
  ) async throws {
    traces = try TemporaryFolder()
    let place = try traces.folder("traces")
    program = command.program
    // What only reads, and what has no strings.
    let silent = "read,readv,pread64,recvfrom,recvmsg,getrandom,futex,mmap,munmap,mprotect,brk"
    let traced = command.traced(
      "-ff",
      "-v",
      "-s",
      "1000000",
      "-yy",
      "--seccomp-bpf",
      "-e",
      "trace=!\(silent),rt_sigaction,rt_sigprocmask",
      "-o",
      "\(place)/trace"
    )
    // A trace can't read what lies in memory that no other process can read: a proxy's secrets.
    let legible = (input?.feeding(traced) ?? traced).lockingNoMemory()
    let process = try RunningProcess(legible)
    try await meanwhile(process)
    output = await process.output()
  }

  /// The places of secrets, in each of several runs of one program.
  ///
  /// Places are `stdout`, `stderr`, `file PATH`, `tcp HOST:PORT`, `unix PATH`, and `call NAME` for
  /// every other argument of a system call.
  static func sightings(of secrets: GivenSecrets, in runs: [TracedRun]) async throws -> [[Sighting]] {
    guard let first = runs.first else { return [] }
    let known = try first.traces.file("secrets", containing: secrets.json.serialized())
    let script = Product.source("Tests/Leaks/sightings.py")
    let found = try await Sighting.search([script, known, first.program] + runs.map { "\($0.traces.path)/traces" })
    return (found.arrayValue ?? []).map { Sighting.list(of: $0) }
  }
}

/// A command that has run, and what was left in its memory when it had done everything.
struct RememberedRun {
  let output: ChildProcess.Output
  private let folder: TemporaryFolder
  private static let script = Product.source("Tests/Leaks/memory_at_exit.py")

  /// - Parameters:
  ///   - command: What is to be run.
  ///   - input: What it reads from, in place of its own input.
  ///   - meanwhile: Is called with the process while it runs, and with what keeps its memory as it
  ///     is at that moment, in place of that at its end.
  /// - Throws: What starting it throws.
  init(
    _ command: ChildProcess,
    from input: (any LiveInput)? = nil,
    _ meanwhile: (RunningProcess, _ remember: () async throws -> Void) async throws -> Void = {
      _,
      _ in
    }
  ) async throws {
    folder = try TemporaryFolder()
    let memory = "\(folder.path)/memory"
    // Without the modules of the environment, which take longer to load than most commands run.
    let keep = [Sighting.python, "-I", "-S", "-B", Self.script, "keep", memory]
    var remembered = command.withRights(keep)
    // A debug build's Swift is a shared library, each of whose symbols is bound at its first call,
    // which saves every register to the stack. In what `make build` makes there is no such call.
    remembered.environment["LD_BIND_NOW"] = "1"
    let process = try RunningProcess(input?.feeding(remembered) ?? remembered)
    try await meanwhile(process) {
      process.send(SIGUSR1)
      try await process.ready { unsafe access(memory, F_OK) == 0 }
    }
    output = await process.output()
  }

  /// Where secrets were in the memory of each of several runs: `heap`, `stack`, or a library's file.
  static func sightings(of secrets: GivenSecrets, in runs: [RememberedRun]) async throws -> [[Sighting]] {
    guard let first = runs.first else { return [] }
    let known = try first.folder.file("secrets", containing: secrets.json.serialized())
    let found = try await Sighting.search([script, "search", known] + runs.map { "\($0.folder.path)/memory" })
    return (found.arrayValue ?? []).map { Sighting.list(of: $0) }
  }
}

/// A secret that was seen, in what form, and where.
struct Sighting: CustomStringConvertible {
  let kind: String
  let form: String
  let place: String
  /// What stands around it in memory.
  let around: String

  var description: String { "\(kind) (\(form)) in \(place)\(around.isEmpty ? "" : ": \(around)")" }

  static let python = Product.source(".build/venv/bin/python")

  fileprivate static func search(_ arguments: [String]) async throws -> JSON {
    // Nothing compiled is left in the source tree.
    let search = try await ChildProcess(python, ["-B"] + arguments).run(limit: .seconds(300))
    try #require(search.status == 0, "\(search.errorText)")
    return try JSON(parsing: search.standardOutput)
  }

  fileprivate static func list(of found: JSON) -> [Sighting] {
    (found.arrayValue ?? []).map { sighting in
      let text = { sighting[$0]?.stringValue ?? "" }
      return Sighting(kind: text("kind"), form: text("form"), place: text("place"), around: text("around"))
    }
  }
}
