import Glibc
import Synchronization

/// A real PostgreSQL that a test kills, freezes and starts again: TLS, and passwords by SCRAM.
///
/// It ends with the last reference to it.
package final class PostgresServer: Sendable {
  package let authority: MadeUpAuthority
  /// The path of a file with the password of the user `acct`.
  package let passwordFile: String
  /// The folder of its data.
  package let data: String
  package let port: UInt16
  let folder: TemporaryFolder
  /// The folder of what the server does not own: acct takes a password from no folder of another user.
  private let secrets: TemporaryFolder
  private let running = Mutex<RunningProcess?>(nil)
  /// Ends with this process.
  private let input: OpenInput
  private let guardians = Mutex<[RunningProcess]>([])

  deinit { send(SIGKILL) }

  /// The password of the user `acct`.
  package static let password = "made-up-password-of-a-database"

  /// Makes a server with a database and a user of the name `acct`, and returns when it serves.
  ///
  /// - Parameter settings: More lines of its configuration, such as `max_connections = 3`.
  /// - Throws: ``ProcessFailure`` if it does not start.
  package init(settings: [String] = []) async throws {
    folder = try TemporaryFolder()
    secrets = try TemporaryFolder()
    input = try OpenInput()
    data = "\(folder.path)/data"
    port = try FreePort().number
    authority = try await MadeUpAuthority()
    let issued = try await authority.issue("database", for: ["127.0.0.1"])
    passwordFile = try secrets.file("password", containing: "\(Self.password)\n")
    let lines =
      [
        "listen_addresses = '127.0.0.1'", "port = \(port)",
        // For its owner alone, without a password.
        "unix_socket_directories = '\(folder.path)/socket'",
        "ssl = on", "ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'",
        // A process is killed here, never the kernel, which keeps what was written.
        "fsync = off", "max_connections = 200", "shared_buffers = 8MB",
      ] + settings
    let configuration = try folder.file("configuration", containing: lines.map { "\($0)\n" }.joined())
    let made = try await ChildProcess(
      "sh",
      ["-euc", Self.make, folder.path, configuration, issued.certificate, issued.key]
    ).run()
    guard made.status == 0 else { throw HarnessFailure("initdb: \(made.errorText)") }
    try start()
    try await waitUntilReady()
    for line in [
      "CREATE ROLE acct LOGIN PASSWORD '\(Self.password)'", "CREATE DATABASE acct OWNER acct",
    ] { try await psql(line) }
  }

  /// It does not run as root.
  private static let asUser = geteuid() == 0 ? "setpriv --reuid postgres --regid postgres --init-groups" : ""

  private static let make = #"""
    as_user='\#(asUser)'
    cd "$0"
    umask 077
    mkdir data socket
    if [ "$(id -u)" = 0 ]; then chown postgres . data socket; fi
    set -- "$@" /usr/lib/postgresql/*/bin
    $as_user "$4/initdb" --pgdata data --username postgres --auth trust --encoding UTF8 \
      --locale C.UTF-8 --wal-segsize 1 --no-sync >made
    cat "$1" >>data/postgresql.conf
    cp "$2" data/server.crt
    cp "$3" data/server.key
    printf 'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n' >data/pg_hba.conf
    if [ "$(id -u)" = 0 ]; then chown postgres data/*; fi
    ln -s "$4" bin
    """#

  /// A connection string of libpq without a password.
  package var connection: String {
    "host=127.0.0.1 port=\(port) dbname=acct user=acct sslmode=verify-full" + " sslrootcert=\(authority.certificate)"
  }

  /// Where its owner, `postgres`, is let in without a password.
  package var socketFolder: String { "\(folder.path)/socket" }

  /// Starts it, on the data that it has, if it does not run.
  package func start() throws(ProcessFailure) {
    let words =
      Self.asUser.split(separator: " ").map(String.init)
      + ["\(folder.path)/bin/postgres", "-D", data]
    let process = try RunningProcess(ChildProcess(words[0], Array(words.dropFirst())))
    running.withLock { $0 = process }
    let guardian = ChildProcess("sh", ["-c", Self.guardian, input.path, "\(process.id)", folder.path])
    let guarding = try RunningProcess(guardian)
    guardians.withLock { $0.append(guarding) }
  }

  /// Ends it with this process, however that ends: it may serve a whole suite.
  ///
  /// The standard input ends then.
  private static let guardian = #"""
    exec <"$0"
    read -r _
    read -r name <"/proc/$1/comm" && [ "$name" = postgres ] && kill -9 "$1"
    rm -rf -- "$2"
    """#

  /// Kills all of it, frozen or not, and waits for its end; its data stays.
  package func kill() async {
    let process = running.withLock { $0.take() }
    // Its other processes end of themselves when the first one has, unless they are frozen.
    let others = process.map { Self.children(of: $0.id) } ?? []
    process?.send(SIGKILL)
    for id in others { Glibc.kill(id, SIGKILL) }
    _ = await process?.ended()
  }

  /// Stops all of it where it is: it keeps its connections and answers nothing.
  package func freeze() { send(SIGSTOP) }

  /// Lets it go on.
  package func thaw() { send(SIGCONT) }

  private func send(_ signal: Int32) {
    guard let process = running.withLock({ $0 }) else { return }
    // The first process goes first: it would start others.
    process.send(signal)
    for id in Self.children(of: process.id) { Glibc.kill(id, signal) }
  }

  private static func children(of id: Int32) -> [Int32] {
    let path = "/proc/\(id)/task/\(id)/children"
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = unsafe read(descriptor, &buffer, buffer.count)
    let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    return text.split(separator: " ").compactMap { Int32($0) }
  }

  /// Whether it was not started, was killed, or has ended of itself.
  package var hasEnded: Bool { running.withLock { $0?.exitStatus != nil || $0 == nil } }
}
