package import AcctPorts
import CLinux
import Glibc
import PrivateFiles
import Secrets

extension Programs {
  /// fork(2) and execvp(3), without a shell.
  ///
  /// - Parameter hardening: The settings that a program must not inherit.
  /// - Returns: The way to run programs.
  package static func live(undoing hardening: Hardening) -> Programs {
    Programs(
      run: { call throws(ProgramFailure) in
        let cancellation = Bell()
        let outcome = await withTaskCancellationHandler { () async -> Result<ProgramResult, ProgramFailure> in
          let noThread = ProgramFailure.unusable(
            .notExecutable(program: call.program, reason: "no thread is available")
          )
          do throws(ProgramFailure) {
            let result = try await onDedicatedThread(orThrow: noThread) { () throws(ProgramFailure) in
              let program = try RunningProgram(call, hardening)
              return try program.finish(call, unless: cancellation)
            }
            return .success(result)
          } catch {
            return .failure(error)
          }
        } onCancel: {
          cancellation.ring()
        }
        return try outcome.get()
      },
      exists: { unsafe acct_find_program($0) == 0 }
    )
  }
}

/// A descriptor that can be waited for until another thread rings.
private final class Bell: Sendable {
  let number = acct_event()

  func ring() { acct_event_ring(number) }

  deinit { if number >= 0 { close(number) } }
}

/// A program that this process has started and waits for.
private final class RunningProgram {
  private let child: pid_t
  /// `true` if it leads a session of its own, all of which ends with it.
  private let isDetached: Bool
  private let output: Output
  private let errors: Output?
  private var isReaped = false

  init(_ call: ProgramCall, _ hardening: Hardening) throws(ProgramFailure) {
    isDetached = call.input != .terminal
    do throws(FileError) {
      let input = try Self.input(call.input)
      defer { if input >= 0 { close(input) } }
      let outputPipe = try Pipe()
      let errorPipe = isDetached ? try Pipe() : nil
      let streams = acct_streams(input: input, output: outputPipe.writing, errors: errorPipe?.writing ?? -1)
      let program = call.isNamed ? try trustedProgram(call.program) : call.program
      var arguments = unsafe ([program] + call.arguments).map { unsafe strdup($0) } + [nil]
      defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
      child = unsafe acct_start_program(
        &arguments,
        "ACCT_VAULT_PASSPHRASE_FILE",
        streams,
        isDetached ? 1 : 0,
        hardening.mask,
        hardening.coreLimit
      )
      guard child > 0 else { throw .last }
      output = Output(outputPipe, limit: call.outputLimit)
      errors = errorPipe.map { Output($0, limit: Self.errorLimit) }
    } catch {
      if error == .notThere { throw .unusable(.notFound(program: call.program)) }
      throw .unusable(.notExecutable(program: call.program, reason: error.reason))
    }
  }

  /// In bytes.
  private static let errorLimit = 4096

  deinit {
    // One that has ended may leave something running on purpose, such as an agent.
    guard !isReaped else { return }
    kill(isDetached ? -child : child, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
  }

  private static func input(_ input: ProgramCall.Input) throws(FileError) -> Int32 {
    switch input {
    case .terminal: return -1
    case .nothing: return try openFile("/dev/null", O_RDONLY)
    case .text(let text):
      guard text.utf8.count <= ProgramCall.Input.longest else { throw .system(E2BIG) }
      let pipe = try Pipe()
      try writeAll(Array(text.utf8).span, to: pipe.writing)
      let reading = dup(pipe.reading)
      guard reading >= 0, fcntl(reading, F_SETFL, 0) == 0, fcntl(reading, F_SETFD, FD_CLOEXEC) == 0 else {
        throw .last
      }
      return reading
    }
  }

  /// Reads what it prints until it ends.
  func finish(_ call: ProgramCall, unless cancellation: Bell) throws(ProgramFailure) -> ProgramResult {
    let watch = acct_watch_child(child)
    defer { if watch >= 0 { close(watch) } }
    let end = ContinuousClock.now + call.timeLimit
    while true {
      // A negative number is passed over.
      var waits = [watch, cancellation.number, output.number, errors?.number ?? -1].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let left = (end - ContinuousClock.now) / .milliseconds(1)
      guard left > 0 else { throw .timedOut(program: call.program) }
      let ready = unsafe poll(&waits, nfds_t(waits.count), Int32(min(left.rounded(.up), 1e9)))
      guard ready >= 0 || errno == EINTR else {
        throw .unusable(.notExecutable(program: call.program, reason: FileError.last.reason))
      }
      guard ready > 0 else { continue }
      if waits[1].revents != 0 { throw .cancelled }
      output.take()
      errors?.take()
      guard !output.isTooLong else { throw .tooLong(program: call.program) }
      // What it leaves running may keep its streams open.
      let hasEnded = waits[0].revents != 0 || output.isAtEnd && (errors?.isAtEnd ?? true)
      guard hasEnded else { continue }
      if waits[0].revents == 0, try !hasExited(by: end, watch, call, cancellation) { continue }
      output.take()
      errors?.take()
      guard !output.isTooLong else { throw .tooLong(program: call.program) }
      return ProgramResult(status: reap(), output: output.secret(), errors: errors?.secret() ?? Secret(""))
    }
  }

  /// Waits for a program that has closed its streams; `true` once it has ended.
  private func hasExited(
    by end: ContinuousClock.Instant,
    _ watch: Int32,
    _ call: ProgramCall,
    _ cancellation: Bell
  ) throws(ProgramFailure) -> Bool {
    // An older kernel has no way to wait with a limit.
    guard watch >= 0 else { return true }
    var waits = [watch, cancellation.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let left = max(0, (end - ContinuousClock.now) / .milliseconds(1))
    guard unsafe poll(&waits, 2, Int32(min(left.rounded(.up), 1e9))) != 0 else {
      throw .timedOut(program: call.program)
    }
    if waits[1].revents != 0 { throw .cancelled }
    return waits[0].revents != 0
  }

  private func reap() -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 {
      // If the system was set to reap children itself, the exit status is lost.
      guard errno == EINTR else { break }
    }
    isReaped = true
    return acct_exit_status(status)
  }
}

/// The path of a program that no other user can have written.
///
/// - Throws: ``FileError``, `ENOENT` if there is none.
private func trustedProgram(_ name: String) throws(FileError) -> String {
  guard let path = programPath(name) else { throw .notThere }
  _ = try Descriptor.trusted(path, .program)
  return path
}

/// Where a program is found on `PATH`; a name with a slash is a path.
private func programPath(_ name: String) -> String? {
  guard !name.contains("/") else { return name }
  guard unsafe acct_find_program(name) == 0 else { return nil }
  let folders = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/bin:/usr/bin"
  return folders.split(separator: ":", omittingEmptySubsequences: false)
    .map { $0.isEmpty ? "./\(name)" : "\($0)/\(name)" }
    .first { unsafe acct_find_program($0) == 0 }
}

/// A pipe that no program inherits; a read from it never waits.
private final class Pipe {
  let reading: Int32
  let writing: Int32

  init() throws(FileError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe acct_pipe(&ends) == 0 else { throw .last }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }
}

/// The output of a program on one stream, which may be a secret: in one buffer that never moves.
private final class Output {
  private let end: Int32
  private var bytes: [UInt8] = []
  private let limit: Int
  private(set) var isAtEnd = false
  private(set) var isTooLong = false

  /// Takes the reading end.
  init(_ pipe: Pipe, limit: Int) {
    end = fcntl(pipe.reading, F_DUPFD_CLOEXEC, 3)
    self.limit = limit
    bytes.reserveCapacity(limit)
    if end < 0 { isAtEnd = true }
  }

  deinit { if end >= 0 { close(end) } }

  /// The descriptor to wait for; negative at its end.
  var number: Int32 { isAtEnd ? -1 : end }

  /// Takes what is there.
  func take() {
    let size = 1 << 14
    unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { room in
      defer { if let start = room.baseAddress { unsafe explicit_bzero(start, size) } }
      while !isAtEnd {
        let count = unsafe read(end, room.baseAddress, size)
        if count < 0 {
          if errno == EINTR { continue }
          isAtEnd = errno != EAGAIN
          return
        }
        guard count > 0 else {
          isAtEnd = true
          return
        }
        let taken = min(count, limit - bytes.count)
        for index in 0..<taken { unsafe bytes.append(room[index]) }
        if taken < count { isTooLong = true }
      }
    }
  }

  func secret() -> Secret { Secret(consuming: &bytes) }
}
