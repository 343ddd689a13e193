import Glibc
import Synchronization

/// A real cluster of etcd, whose members a test kills, freezes and starts again.
///
/// It speaks TLS with certificates that a made-up authority has issued to both ends, and ends with the last
/// reference to it.
package final class EtcdCluster: Sendable {
  package let authority: MadeUpAuthority
  /// A client's certificate and key; its common name is `acct`.
  package let client: MadeUpAuthority.Issued
  let members: [Member]
  let running: Mutex<[RunningProcess?]>
  let folder: TemporaryFolder
  /// Ends with this process.
  private let input: OpenInput
  private let server: MadeUpAuthority.Issued
  private let arguments: [String]

  /// A member of the cluster.
  struct Member: Sendable {
    let name: String
    let host: String
    let clientPort: UInt16
    let peerPort: UInt16
    /// The words before `etcd`.
    let runner: [String]
    let folder: String

    var peerURL: String { "https://\(host):\(peerPort)" }
  }

  /// Starts a cluster, and returns when it serves.
  ///
  /// - Parameters:
  ///   - count: How many members it has.
  ///   - arguments: More arguments of each `etcd`, such as `--quota-backend-bytes`.
  ///   - asksForCertificates: Whether clients have to have one.
  ///   - networks: Where the members are, if not on this machine's loopback.
  /// - Throws: ``ProcessFailure`` if it does not start.
  package init(
    members count: Int = 3,
    arguments: [String] = [],
    asksForCertificates: Bool = true,
    in networks: SeparateNetworks? = nil
  ) async throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    input = try OpenInput()
    authority = try await MadeUpAuthority()
    // An authority alone has etcd ask for certificates, too.
    let asking = ["--client-cert-auth", "--trusted-ca-file", authority.certificate]
    self.arguments = arguments + (asksForCertificates ? asking : [])
    let hosts = networks?.hosts ?? Array(repeating: "127.0.0.1", count: count)
    server = try await authority.issue("member", for: Array(Set(hosts + ["127.0.0.1"])).sorted())
    client = try await authority.issue("acct")
    members = try hosts.enumerated().map { number, host in
      Member(
        name: "m\(number + 1)",
        host: host,
        clientPort: try FreePort().number,
        peerPort: try FreePort().number,
        runner: networks?.runner(number) ?? [],
        folder: "\(folder.path)/m\(number + 1)"
      )
    }
    running = Mutex(hosts.map { _ in nil })
    for number in members.indices { try start(number) }
    try await waitUntilHealthy()
  }

  /// Where each member answers clients.
  package var endpoints: [String] { members.map { "https://\($0.host):\($0.clientPort)" } }

  /// The folders of the members' data.
  package var folders: [String] { members.map(\.folder) }

  /// Starts a member that does not run, on the data that it has.
  package func start(_ number: Int) throws(ProcessFailure) {
    let member = members[number]
    let clientURL = endpoints[number]
    var words =
      member.runner + [
        "etcd", "--name", member.name, "--data-dir", member.folder, "--listen-client-urls", clientURL,
        "--advertise-client-urls", clientURL, "--listen-peer-urls", member.peerURL, "--initial-advertise-peer-urls",
        member.peerURL, "--initial-cluster", initialCluster, "--initial-cluster-token", Self.token,
      ]
    words += ["--cert-file", server.certificate, "--key-file", server.key]
    words += ["--peer-client-cert-auth"]
    words += ["--peer-cert-file", server.certificate, "--peer-key-file", server.key]
    words += ["--peer-trusted-ca-file", authority.certificate]
    // A password costs a tenth of a second of a processor otherwise, for each connection.
    words += ["--bcrypt-cost", "4", "--logger", "zap", "--log-level", "error"] + arguments
    let process = try RunningProcess(Guardian.child(words, in: folder, endingWith: input))
    running.withLock { $0[number] = process }
  }

  static let token = "made-up"
  var initialCluster: String { members.map { "\($0.name)=\($0.peerURL)" }.joined(separator: ",") }

  /// Kills a member, frozen or not, and waits for its end; its data stays.
  package func kill(_ number: Int) async {
    let process = running.withLock { $0[number].take() }
    process?.send(SIGKILL)
    _ = await process?.ended()
  }

  /// Stops a member where it is: it keeps its connections and answers nothing.
  package func freeze(_ number: Int) {
    guard let process = running.withLock({ $0[number] }) else { return }
    process.send(SIGSTOP)
    // A signal that was sent has not stopped every thread yet.
    while process.exitStatus == nil, !isStopped(process.id) { sched_yield() }
  }

  /// Lets a frozen member go on.
  package func thaw(_ number: Int) { running.withLock { $0[number] }?.send(SIGCONT) }

  /// Whether a member was started and not killed.
  package func isStarted(_ number: Int) -> Bool { running.withLock { $0[number] != nil } }
}

/// Whether all threads of a process are stopped (proc_pid_stat(5)).
private func isStopped(_ id: pid_t) -> Bool {
  guard let folder = unsafe opendir("/proc/\(id)/task") else { return true }
  defer { unsafe closedir(folder) }
  while let entry = unsafe readdir(folder) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { start in
      unsafe String(cString: UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
    }
    guard Int(name) != nil else { continue }
    let file = unsafe open("/proc/\(id)/task/\(name)/stat", O_RDONLY | O_CLOEXEC)
    // A thread that has ended since.
    guard file >= 0 else { continue }
    defer { close(file) }
    var line = [UInt8](repeating: 0, count: 128)
    let count = unsafe read(file, &line, line.count)
    // `ID (NAME) STATE …`
    let state = line.prefix(max(0, count)).split(separator: UInt8(ascii: ")")).last?.dropFirst().first
    if state != UInt8(ascii: "T") { return false }
  }
  return true
}
