package import AcctModel
import Glibc
import Synchronization

/// A software TPM 2.0 (swtpm) with a folder of its own, which ends with the last reference to it.
///
/// It has no resource manager: it serves one connection at a time, and keeps 3 objects.
package final class SoftwareTPM: Sendable {
  /// How it is reached.
  package enum Door: Sendable {
    /// A TCP port, which tpm2-tools and tpm2-openssl can use, too.
    case port
    /// A Unix socket.
    case socket
  }

  /// Where it is, for `--key tpm:` and `ACCT_TPM`.
  package let address: TPMAddress
  private let door: Door
  private let port: UInt16
  private let folder: TemporaryFolder
  /// Ends with this process.
  private let input: OpenInput
  private let running = Mutex<RunningProcess?>(nil)

  /// Starts a new TPM, and returns when it serves.
  ///
  /// - Throws: ``ProcessFailure`` if it does not start.
  package init(at door: Door = .port) async throws(ProcessFailure) {
    self.door = door
    folder = try TemporaryFolder()
    input = try OpenInput()
    _ = try folder.folder("state")
    switch door {
    case .port:
      port = try Self.twoPorts()
      address = .swtpm(host: "127.0.0.1", port: port)
    case .socket:
      port = 0
      address = .path("\(folder.path)/tpm")
    }
    try await start()
  }

  /// Starts it again on the state that it has, as a machine does that was switched on.
  package func start() async throws(ProcessFailure) {
    let process = try RunningProcess(Guardian.child(words, in: folder, endingWith: input))
    running.withLock { $0 = process }
    // Asked without a connection: it serves one at a time.
    try await process.ready { isListening }
  }

  /// Kills it, as a power cut does; its state stays.
  package func stop() async {
    let process = running.withLock { $0.take() }
    process?.send(SIGKILL)
    _ = await process?.ended()
    if door == .socket { unsafe unlink("\(folder.path)/tpm") }
  }

  /// Stops it where it is: it takes connections and answers nothing.
  package func freeze() { running.withLock { $0 }?.send(SIGSTOP) }

  /// Lets it go on.
  package func thaw() { running.withLock { $0 }?.send(SIGCONT) }

  /// What leads tpm2-tools and tpm2-openssl to it, if it is at a port.
  package var environment: [String: String] {
    let address = "swtpm:host=127.0.0.1,port=\(port)"
    return ["TPM2TOOLS_TCTI": address, "TPM2OPENSSL_TCTI": address, "TSS2_LOG": "all+NONE"]
  }

  /// Runs a program of tpm2-tools, or another that uses the TPM, in a folder.
  package func run(
    _ program: String,
    _ arguments: [String],
    in folder: TemporaryFolder? = nil
  ) async throws(ProcessFailure) -> ChildProcess.Output {
    var child = ChildProcess(program, arguments, workingDirectory: (folder ?? self.folder).path)
    child.environment.merge(environment) { $1 }
    return try await child.run()
  }

  /// Forgets every key, as its owner does before giving the machine away (`tpm2_clear`).
  ///
  /// - Throws: ``HarnessFailure`` if it refuses.
  package func clear() async throws {
    let done = try await run("tpm2_clear", ["-c", "platform"])
    guard done.status == 0 else { throw HarnessFailure("tpm2_clear: \(done.errorText)") }
  }

  private var words: [String] {
    let server =
      switch door {
      case .port: "type=tcp,port=\(port)"
      case .socket: "type=unixio,path=\(folder.path)/tpm"
      }
    // tpm2-tools want the second channel, at the next port.
    let control = door == .port ? ["--ctrl", "type=tcp,port=\(port + 1)"] : []
    let flags = ["--flags", "not-need-init,startup-clear"]
    return ["swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(folder.path)/state"]
      + ["--server", server] + control + flags
  }

  private var isListening: Bool {
    switch door {
    case .port: listens(port) && listens(port + 1)
    // `Num: RefCount Protocol Flags Type St Inode Path`, and the flag says that it listens.
    case .socket:
      table("/proc/self/net/unix").split(separator: "\n").contains {
        $0.hasSuffix(" \(folder.path)/tpm") && $0.contains(" 00010000 ")
      }
    }
  }

  private static func twoPorts() throws(ProcessFailure) -> UInt16 {
    while true {
      let port = try FreePort().number
      if !listens(port + 1) { return port }
    }
  }
}

/// Whether a port of 127.0.0.1 is listened at, as the kernel tells it (proc_net_tcp(5)).
private func listens(_ port: UInt16) -> Bool {
  let digits = String(port, radix: 16, uppercase: true)
  // `0: 0100007F:3039 00000000:0000 0A …`: where, from whom, and that it listens.
  let place = ":" + String(repeating: "0", count: 4 - digits.count) + digits
  return table("/proc/self/net/tcp").contains("\(place) 00000000:0000 0A")
}

/// One of the kernel's lists of sockets.
private func table(_ path: String) -> String {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return "" }
  defer { close(descriptor) }
  var table: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16_384)
  while true {
    let count = unsafe read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return String(decoding: table, as: UTF8.self) }
    table += buffer.prefix(count)
  }
}
