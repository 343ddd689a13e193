import AcctTestSupport
import StrictJSON
import Testing

/// A command that has run under a trace of everything that it asked of the kernel.
struct TracedRun {
  let output: ChildProcess.Output
  private let traces: TemporaryFolder
  private let program: String

  init(_ command: ChildProcess) async throws {
    traces = try TemporaryFolder()
    program = command.program
    // What only reads, and what has no strings.
    let silent = "read,readv,pread64,recvfrom,recvmsg,getrandom,futex,mmap,munmap,mprotect,brk"
    output = try await command.traced(
      "-ff",
      "-v",
      "-s",
      "1000000",
      "-yy",
      "--seccomp-bpf",
      "-e",
      "trace=!\(silent),rt_sigaction,rt_sigprocmask",
      "-o",
      "\(traces.path)/trace"
    ).run()
  }

  /// Where secrets went.
  ///
  /// Places are `stdout`, `stderr`, `file PATH`, `tcp HOST:PORT`, `unix PATH`, and `call NAME` for
  /// every other argument of a system call.
  func sightings(of secrets: GivenSecrets) async throws -> [Sighting] {
    let known = try traces.file("secrets", holding: secrets.json.serialized())
    let script = Product.source("Tests/Leaks/sightings.py")
    return try await Sighting.found(by: [
      "sh", "-c", #"exec "$1" -B "$2" "$3" "$4" "$0"/trace.*"#, traces.path,
      Product.source(".build/venv/bin/python"), script, known, program,
    ])
  }
}

/// A command that has run, and what was left in its memory when it had done everything.
struct RememberedRun {
  let output: ChildProcess.Output
  private let folder: TemporaryFolder
  private static let python = Product.source(".build/venv/bin/python")
  private static let script = Product.source("Tests/Leaks/memory_at_exit.py")

  init(_ command: ChildProcess) async throws {
    folder = try TemporaryFolder()
    output = try await command.withRights([
      Self.python, "-B", Self.script, "keep", "\(folder.path)/memory",
    ]).run()
  }

  /// Where in memory secrets were: `[heap]`, `[stack]`, `anonymous`, or a library's file.
  func sightings(of secrets: GivenSecrets) async throws -> [Sighting] {
    let known = try folder.file("secrets", holding: secrets.json.serialized())
    return try await Sighting.found(by: [
      Self.python, "-B", Self.script, "search", "\(folder.path)/memory", known,
    ])
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

  fileprivate static func found(by line: [String]) async throws -> [Sighting] {
    let search = try await ChildProcess(line[0], Array(line.dropFirst())).run()
    try #require(search.status == 0, "\(search.errorText)")
    let found = try JSON(parsing: search.standardOutput).arrayValue ?? []
    return found.map { sighting in
      let text = { sighting[$0]?.stringValue ?? "" }
      return Sighting(kind: text("kind"), form: text("form"), place: text("place"), around: text("around"))
    }
  }
}
