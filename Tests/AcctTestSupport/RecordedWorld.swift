import AcctModel
package import AcctPorts
import Synchronization
package import Testing

/// A world that lives in memory and records what was said to it.
///
/// Time stands still until a test moves it, random bytes count upward, and whatever a test did
/// not provide fails that test when it is touched.
package final class RecordedWorld: Sendable {
  private struct State {
    var out: [String] = []
    var err: [String] = []
    var files: [StoredFile: [UInt8]] = [:]
    var now: Int64 = 1_800_000_000
    var counter: UInt8 = 0
    var variables: [String: String] = [:]
    var inputs: [String: [UInt8]] = [:]
    var directoryFiles: [DirectoryFile] = []
    var answers: [String] = []
    var requests: [HTTPRequest] = []
    var respond: (@Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse)?
  }
  private let state = Mutex(State())
  /// The keyring of this world, in memory.
  package let keyring: InMemoryKeyring
  /// The life of the process that runs in this world.
  package let lifeline = Lifeline()

  package init() { keyring = InMemoryKeyring(lifeline) }

  /// Everything on standard output.
  package var out: String { state.withLock { $0.out.joined() } }
  /// The lines on standard error.
  package var err: [String] { state.withLock { $0.err } }
  /// Everything that is kept in files, as text.
  package var filesText: String {
    state.withLock { state in
      state.files.values.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }
  }
  package var accountFiles: Int {
    state.withLock { state in
      state.files.keys.count { if case .account = $0 { true } else { false } }
    }
  }

  /// Seconds since 1970.
  package var now: Int64 {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }

  package func set(_ variable: String, to value: String) {
    state.withLock { $0.variables[variable] = value }
  }
  package func provide(_ path: String, _ text: String) {
    state.withLock { $0.inputs[path] = Array(text.utf8) }
  }
  package func provide(_ path: String, bytes: [UInt8]) {
    state.withLock { $0.inputs[path] = bytes }
  }
  package func place(_ files: [DirectoryFile]) { state.withLock { $0.directoryFiles = files } }
  package func answer(_ lines: String...) { state.withLock { $0.answers += lines } }
  /// Answers requests; without this, any request fails the test.
  package func serve(
    _ respond: @escaping @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse
  ) {
    state.withLock { $0.respond = respond }
  }
  /// Every request that was sent.
  package var requests: [HTTPRequest] { state.withLock { $0.requests } }
  package func corrupt(_ file: StoredFile, with text: String) {
    state.withLock { $0.files[file] = Array(text.utf8) }
  }
  package func file(_ file: StoredFile) -> String? {
    state.withLock { $0.files[file].map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Forgets what was said, and keeps everything else.
  package func clear() {
    state.withLock {
      $0.out = []
      $0.err = []
    }
  }

  /// The world to hand to a command.
  package func world(at location: SourceLocation = #_sourceLocation) -> World {
    World(
      secretService: keyring.keyring(),
      vaultKeyring: .unexpected("the vault keyring", at: location),
      vault: .unexpected(at: location),
      files: files,
      streams: streams,
      terminal: terminal,
      surroundings: Surroundings(
        variable: { name in self.state.withLock { $0.variables[name] } },
        directoryFiles: { self.state.withLock { $0.directoryFiles } }
      ),
      clock: Clock(
        now: { Timestamp(clamped: self.now) },
        sleep: { seconds in
          self.now += seconds
          return true
        }
      ),
      entropy: Entropy { count in
        self.state.withLock { state in
          state.counter += 1
          return Array(repeating: state.counter, count: count)
        }
      },
      transport: transport(at: location),
      browser: Browser { _ in
        Issue.record("no browser was expected to open", sourceLocation: location)
        return false
      },
      listener: CallbackListener { port throws(ListenFailure) in
        Issue.record("nobody was expected to listen", sourceLocation: location)
        throw .failed(port: port, reason: "not provided")
      },
      signals: Signals(holdBack: { HeldSignals {} }, watch: { _ in HeldSignals {} }),
      dns: DNS { name, _ throws(DNSFailure) in
        Issue.record("\(name) was not expected to be resolved", sourceLocation: location)
        throw .noAnswer
      }
    )
  }

  private func transport(at location: SourceLocation) -> HTTPTransport {
    let send: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse = {
      request throws(HTTPFailure) in
      guard self.lifeline.isAlive else { throw .cancelled }
      let respond = self.state.withLock { state in
        state.requests.append(request)
        return state.respond
      }
      guard let respond else {
        Issue.record("\(request.method) \(request.url) was not expected", sourceLocation: location)
        throw .unreachable(reason: "not provided")
      }
      return try respond(request)
    }
    return HTTPTransport(
      send: send,
      stream: { request throws(HTTPFailure) in try await streamed(request, by: send) }
    )
  }

  private var files: Files {
    Files(
      read: { file throws(FilesFailure) in
        guard self.lifeline.isAlive else { throw .busy }
        return self.state.withLock { $0.files[file] }
      },
      replace: { file, bytes throws(FilesFailure) in
        guard self.lifeline.write() else { throw .busy }
        self.state.withLock { $0.files[file] = bytes }
      },
      remove: { file throws(FilesFailure) in
        guard self.lifeline.write() else { throw .busy }
        self.state.withLock { $0.files[file] = nil }
      },
      accounts: { () throws(FilesFailure) in
        guard self.lifeline.isAlive else { throw .busy }
        return self.state.withLock { state in
          state.files.keys.compactMap { if case .account(let id) = $0 { id } else { nil } }
        }
      },
      lock: { _, _ throws(FilesFailure) in HeldLock {} }
    )
  }

  private var streams: Streams {
    Streams(
      output: { bytes throws(StreamFailure) in
        let text = bytes.withBytes { span in
          String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
        }
        self.state.withLock { $0.out.append(text) }
      },
      notice: { line in self.state.withLock { $0.err.append(line) } },
      input: { path, limit throws(StreamFailure) in
        guard let bytes = self.state.withLock({ $0.inputs[path] }) else {
          throw .failed(name: path, reason: "no such file or directory")
        }
        guard bytes.count <= limit else { throw .tooLarge(name: path, limit: limit) }
        return Secret(bytes)
      },
      outputIsTerminal: false
    )
  }

  private var terminal: Terminal {
    let next: @Sendable () -> String? = {
      self.state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
    }
    return Terminal(
      canAsk: { self.state.withLock { !$0.answers.isEmpty } },
      ask: { _ in next() },
      askSecret: { _ in next().map { Secret($0) } },
      lines: { _ in
        AsyncStream { continuation in
          while let line = next() { continuation.yield(Secret(line)) }
          continuation.finish()
        }
      }
    )
  }
}

/// Answers a streamed request like one that is held in memory.
private func streamed(
  _ request: StreamedRequest,
  by send: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
) async throws(HTTPFailure) -> StreamedResponse {
  var body: [UInt8]?
  if let source = request.body {
    var bytes: [UInt8] = []
    do { while let part = try await source.next() { bytes += part } } catch {
      throw .source(error)
    }
    body = bytes
  }
  let response = try await send(
    HTTPRequest(
      method: request.method,
      url: request.url,
      fields: request.fields,
      body: body.map { Secret($0) },
      timeout: request.timeout
    )
  )
  let bytes = response.body.withBytes { span in span.indices.map { span[$0] } }
  let rest = Mutex([bytes].filter { !$0.isEmpty })
  return StreamedResponse(
    head: ResponseHead(
      status: response.status,
      statusLine: "HTTP/1.1 \(response.status) Whatever",
      fields: response.fields
    ),
    next: { rest.withLock { $0.popLast() } },
    cancel: {}
  )
}
