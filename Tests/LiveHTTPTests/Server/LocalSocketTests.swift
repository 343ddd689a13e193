import AcctPorts
import AcctTestSupport
import Glibc
import LiveHTTP
import Testing

@Suite("Sockets for programs on this machine", .timeLimit(.minutes(1)))
struct LocalSocketTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = "\(folder.path)/socket"
  }

  private func serve<Outcome: Sendable>(_ body: () async throws -> Outcome) async throws -> Outcome {
    try await serving(at: .socket(path: path)) { _ in
      .text(200, "well")
    } _: { _ in
      try await body()
    }
  }

  private func isAnswered() async throws -> Bool {
    let visitor = try await Visitor(at: path)
    try await visitor.send(get("/", "a"))
    let answer = await visitor.until("well")
    try await visitor.close()
    return answer.hasSuffix("well")
  }

  private var mode: mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode : nil
  }

  @Test("A local socket is its user's alone, whatever the umask, and is removed at the end")
  func mode() async throws {
    let mask = umask(0)
    defer { umask(mask) }
    try await serve { () async throws in
      #expect(mode == S_IFSOCK | 0o600)
      #expect(try await isAnswered())
    }
    #expect(mode == nil)
  }

  @Test("A local socket of a process that has ended is replaced")
  func stale() async throws {
    let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(bindUnix(left, path))
    close(left)
    #expect(mode != nil)
    try await serve { () async throws in #expect(try await isAnswered()) }
  }

  @Test("A local socket of a living process is left alone")
  func live() async throws {
    try await serve { () async throws in
      await #expect(throws: ListenFailure.unusableSocket(path: path, reason: "another process listens there")) {
        try await serve {}
      }
      #expect(try await isAnswered())
    }
  }

  @Test("A socket of another process whose queue is full is left alone, without waiting")
  func full() async throws {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    #expect(bindUnix(listener, path) && listen(listener, 0) == 0)
    var clients: [Int32] = []
    defer { for client in clients { close(client) } }
    repeat {
      clients.append(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0))
    } while clients.count < 8 && connectUnix(clients[clients.count - 1], path)
    #expect(clients.count < 8)
    await #expect(throws: ListenFailure.unusableSocket(path: path, reason: "another process listens there")) {
      try await serve {}
    }
    #expect(mode != nil)
  }

  @Test("A path that is no socket is left alone", arguments: ["file", "folder", "link"])
  func foreign(_ kind: String) async throws {
    switch kind {
    case "file": _ = try folder.file("socket", containing: "precious")
    case "folder": _ = try folder.folder("socket")
    default: #expect(unsafe symlink("\(folder.path)/elsewhere", path) == 0)
    }
    let before = mode
    await #expect(throws: ListenFailure.unusableSocket(path: path, reason: "another file exists there")) {
      try await serve {}
    }
    #expect(mode == before)
  }

  @Test("A local socket needs a path that is short enough, and an existing folder", arguments: ["long", "missing"])
  func impossible(_ kind: String) async throws {
    let path =
      kind == "long"
      ? "\(folder.path)/\(String(repeating: "x", count: 120))" : "\(folder.path)/none/socket"
    await #expect(throws: ListenFailure.self) {
      try await serving(at: .socket(path: path)) { _ in
        .text(200, "")
      } _: { _ in
      }
    }
  }
}

private func bindUnix(_ descriptor: Int32, _ path: String) -> Bool {
  unsafe withUnixAddress(path) { unsafe bind(descriptor, $0, $1) == 0 }
}

private func connectUnix(_ descriptor: Int32, _ path: String) -> Bool {
  unsafe withUnixAddress(path) { unsafe connect(descriptor, $0, $1) == 0 }
}

private func withUnixAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
