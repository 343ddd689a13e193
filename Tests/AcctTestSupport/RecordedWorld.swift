package import AcctModel
import Secrets
package import AcctPorts
package import KeyDevices
import Expat
import Synchronization
package import Testing

/// A world in memory that records its output.
///
/// Time stands still until a test moves it, random bytes count upward, and a use of anything that a
/// test did not provide fails that test.
package final class RecordedWorld: Sendable {
  private struct State {
    var out: [String] = []
    var err: [String] = []
    /// Lines that replaced each other; `nil` if standard error is not a terminal.
    var passing: [String]?
    var files: [StoredFile: [UInt8]] = [:]
    /// How often each file was read.
    var reads: [StoredFile: Int] = [:]
    /// What the disk fails on when it is read, once for each time that it stands here.
    var unreadable: [StoredFile] = []
    /// Why an account's file is not safe to read.
    var exposed: [AccountID: FilesFailure] = [:]
    var now: Int64 = 1_800_000_000
    var localOffset: Int64 = 0
    var counter: UInt8 = 0
    /// How often random bytes were drawn; `nil` where they count in a byte.
    var draws: UInt64?
    var hasDevices = false
    var unlocksAt: Int64?
    var variables: [String: String] = [:]
    var inputs: [String: [UInt8]] = [:]
    var outputs: [String: String] = [:]
    var publishFailure: PublishFailure?
    var directoryFiles: [DirectoryFile] = []
    var workingDirectory: String?
    var machine = Machine()
    var answers: [String] = []
    var prompts: [String] = []
    var columns: Int?
    var keys: [Keystroke]?
    var frames: [[String]] = []
    var requests: [HTTPRequest] = []
    var fileSystems: [FileFolder: FileSystem] = [:]
    var watches: [(@Sendable () -> Void)?] = []
    var respond: (@Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse)?
    var shared: InMemorySharedKeyring?
    var replacements: [StoredFile: Int] = [:]
    /// How often files have changed; `nil` where they can't be watched.
    var changes: UInt64?
    var hasSecretMemory = false
    var rests: [AsyncStream<Void>.Continuation] = []
    var preparations = 0
    var isDiskFull = false
  }
  private let state = Mutex(State())
  /// The keyring of this world, in memory.
  package let keyring: InMemoryKeyring
  package let secretFiles = RecordedSecretFiles()
  package let providerFiles = RecordedProviderFiles()
  package let exec = RecordedExec()
  package let programs = RecordedPrograms()
  package let foreignFiles = RecordedForeignFiles()
  package let maintenance = RecordedFolderMaintenance()
  package let localServer = RecordedLocalServer()
  /// The life of the process that runs in this world.
  package let lifeline = Lifeline()

  /// What has keys that never leave it, once it is plugged in.
  package let tpm = InMemoryTPM()
  package let token = InMemoryToken()

  /// The desktop of this world.
  package let desktop = InMemoryDesktop()

  package init() { keyring = InMemoryKeyring(lifeline) }

  /// Everything on standard output.
  package var out: String { state.withLock { $0.out.joined() } }
  /// The lines on standard error.
  package var err: [String] { state.withLock { $0.err } }
  /// The lines that replaced each other on a terminal, an empty one where the last was erased.
  package var passing: [String] { state.withLock { $0.passing ?? [] } }
  /// Makes standard error a terminal.
  package func showOnTerminal() { state.withLock { $0.passing = [] } }
  /// The files that a command has written for the user, whole.
  package var outputs: [String: String] { state.withLock { $0.outputs } }

  /// Makes every published file fail.
  package func failPublishing(with failure: PublishFailure) { state.withLock { $0.publishFailure = failure } }
  /// The contents of all files, as text.
  package var filesText: String {
    state.withLock { state in state.files.values.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n") }
  }
  package var accountFiles: Int {
    state.withLock { state in state.files.keys.count { if case .account = $0 { true } else { false } } }
  }

  /// Makes this world a machine that shares a keyring, and has written that down.
  ///
  /// - Parameters:
  ///   - keyring: Its side of the keyring.
  ///   - number: Where its random bytes begin, which differ from those of other machines.
  package func share(_ keyring: InMemorySharedKeyring, number: UInt8) {
    state.withLock { state in
      state.shared = keyring
      state.counter = number
      state.files[.keyringDecision] = Array("etcd\n".utf8)
    }
  }

  private func sharedKeyring(_ kind: Keyring.Kind) -> Keyring {
    state.withLock { $0.shared }?.keyring(kind) ?? .notJoined(kind)
  }

  /// Seconds since 1970.
  package var now: Int64 {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }

  /// Moves the user's local time so many seconds ahead of UTC.
  package func setLocalOffset(_ seconds: Int64) { state.withLock { $0.localOffset = seconds } }

  /// Unlocks the keyring so many seconds from now, during a sleep that passes that moment.
  package func unlock(after seconds: Int64) {
    let due = now + seconds
    state.withLock { $0.unlocksAt = due }
  }

  package func set(_ variable: String, to value: String) { state.withLock { $0.variables[variable] = value } }
  /// Makes every write of a file fail, or none any more.
  package func fillDisk(_ isFull: Bool = true) { state.withLock { $0.isDiskFull = isFull } }
  /// The number of marks of uses.
  package var useMarks: Int {
    state.withLock { state in state.files.keys.count { if case .useMark = $0 { true } else { false } } }
  }
  /// Lets the disk fail, once, on an account's file when all of them are read.
  package func failReading(_ id: AccountID) { state.withLock { $0.unreadable.append(.account(id)) } }
  /// Makes an account's file one that others can write to, or one of the user's own again.
  package func expose(_ id: AccountID, _ isExposed: Bool = true) {
    let path = "/data/accounts/\(id).json"
    let reason = "its group or others can write to it: run `chmod go-w \(path)`"
    state.withLock { $0.exposed[id] = isExposed ? .unsafe(path: path, reason: reason) : nil }
  }
  package func provide(_ path: String, _ text: String) { state.withLock { $0.inputs[path] = Array(text.utf8) } }
  package func provide(_ path: String, bytes: [UInt8]) { state.withLock { $0.inputs[path] = bytes } }
  /// The system that the commands run on.
  package var machine: Machine {
    get { state.withLock { $0.machine } }
    set { state.withLock { $0.machine = newValue } }
  }
  /// Runs the commands in this folder; `nil` for one that is gone.
  package func enter(_ folder: String?) { state.withLock { $0.workingDirectory = folder } }

  package func place(_ files: [DirectoryFile]) { state.withLock { $0.directoryFiles = files } }
  package func answer(_ lines: String...) { state.withLock { $0.answers += lines } }
  /// The questions of the last command, in their order.
  package var prompts: [String] { state.withLock { $0.prompts } }
  /// Makes standard output a terminal so many columns wide; `nil`: it is none.
  package func setColumns(_ columns: Int?) { state.withLock { $0.columns = columns } }
  /// Presses keys at the terminal, which can then show lines and take keys.
  package func press(_ keys: [Keystroke]) { state.withLock { $0.keys = ($0.keys ?? []) + keys } }
  /// What the terminal showed, before and after each key.
  package var frames: [[String]] { state.withLock { $0.frames } }
  /// Answers requests; without this, any request fails the test.
  package func serve(_ respond: @escaping @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse) {
    state.withLock { $0.respond = respond }
  }
  /// Makes standard output a terminal.
  package func connectTerminal() { setColumns(80) }
  /// Puts acct's folders on a file system.
  package func put(on fileSystem: FileSystem?, _ folders: [FileFolder] = FileFolder.allCases) {
    state.withLock { state in
      for folder in folders { state.fileSystems[folder] = fileSystem }
    }
  }
  /// Every request that was sent.
  package var requests: [HTTPRequest] { state.withLock { $0.requests } }
  /// How often a request was prepared for.
  package var preparations: Int { state.withLock { $0.preparations } }
  package func corrupt(_ file: StoredFile, with text: String) { state.withLock { $0.files[file] = Array(text.utf8) } }
  package func forget(_ file: StoredFile) { state.withLock { $0.files[file] = nil } }
  package func file(_ file: StoredFile) -> String? {
    state.withLock { $0.files[file].map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Lets the files be watched from now on.
  package func watchFiles() { state.withLock { $0.changes = $0.changes ?? 0 } }
  /// Lets the files be watched no longer, as where the limit of watches is reached.
  package func unwatchFiles() { state.withLock { $0.changes = nil } }
  /// Tells of a change of which nothing more is known, as after an overflow.
  package func announceChange() { state.withLock { $0.changes? += 1 } }
  /// Gives a process memory that no other can read, or takes it away.
  package func provideSecretMemory(_ isThere: Bool) { state.withLock { $0.hasSecretMemory = isThere } }
  /// Lets random bytes differ from all others, however many are drawn.
  package func drawUniqueNumbers() { state.withLock { $0.draws = 0 } }
  /// Ends every rest in the background that has begun, but none once more lines have passed; returns how many did.
  @discardableResult
  package func endRests(whilePassing lines: Int? = nil) -> Int {
    let rests = state.withLock { state -> [AsyncStream<Void>.Continuation] in
      guard lines == nil || state.passing?.count ?? 0 == lines else { return [] }
      defer { state.rests = [] }
      return state.rests
    }
    for rest in rests { rest.finish() }
    return rests.count
  }

  /// How often a file was written since the world began.
  package func replacements(of file: StoredFile) -> Int { state.withLock { $0.replacements[file] ?? 0 } }

  /// How often a file was read since the world began.
  package func reads(of file: StoredFile) -> Int { state.withLock { $0.reads[file] ?? 0 } }

  /// Forgets what was said, and keeps everything else.
  package func clear() {
    state.withLock {
      $0.out = []
      $0.err = []
      $0.frames = []
      $0.prompts = []
    }
  }

  /// The world to hand to a command.
  package func world(at location: SourceLocation = #_sourceLocation) -> World {
    World(
      Ports(
        secretService: keyring.keyring(),
        vaultKeyring: .unexpected("the vault keyring", at: location),
        vault: .unexpected(at: location),
        sharedKeyring: { self.sharedKeyring($0) },
        files: files,
        streams: streams,
        terminal: terminal,
        environment: ProcessEnvironment(
          variable: { name in
            // As in the real environment: an empty one counts as not set.
            self.state.withLock { $0.variables[name].flatMap { $0.isEmpty ? nil : $0 } }
          },
          directoryFiles: { self.state.withLock { $0.directoryFiles } },
          workingDirectory: { self.state.withLock { $0.workingDirectory } },
          hostName: { self.state.withLock { $0.variables["HOSTNAME"] } },
          parent: { self.state.withLock { $0.variables["PARENT"] } },
          machine: { self.machine }
        ),
        clock: Clock(
          now: { Timestamp(clamped: self.now) },
          localOffset: { _ in self.state.withLock { $0.localOffset } },
          sleep: { seconds in
            // Nothing waits as long for its own sake: it is a limit, which a test that stops time never
            // reaches.
            guard seconds < 600 else { return await untilCancelled() }
            self.now += seconds
            if let due = self.state.withLock({ $0.unlocksAt }), self.now >= due { self.keyring.unlock() }
            return true
          },
          rest: {
            let (rest, end) = AsyncStream.makeStream(of: Void.self)
            self.state.withLock { $0.rests.append(end) }
            for await _ in rest {}
          }
        ),
        entropy: Entropy { count in
          self.state.withLock { state in
            if let draws = state.draws {
              state.draws = draws + 1
              return (0..<count).map { UInt8(truncatingIfNeeded: draws >> (8 * UInt64($0 % 8))) }
            }
            state.counter += 1
            return Array(repeating: state.counter, count: count)
          }
        },
        transport: transport(at: location),
        browser: Browser { _ in
          Issue.record("no browser was expected to open", sourceLocation: location)
          return false
        },
        listener: CallbackListener { redirect throws(ListenFailure) in
          Issue.record("nobody was expected to listen", sourceLocation: location)
          throw .failed(port: redirect.port, reason: "not provided")
        },
        signals: Signals(
          holdBack: { HeldSignals {} },
          watch: { action in
            let number = self.state.withLock { state in
              state.watches.append(action)
              return state.watches.count - 1
            }
            return HeldSignals { self.state.withLock { $0.watches[number] = nil } }
          }
        ),
        dns: DNS { name, _ throws(DNSFailure) in
          Issue.record("\(name) was not expected to be resolved", sourceLocation: location)
          throw .noAnswer
        },
        secretFiles: secretFiles.port,
        exec: exec.port,
        maintenance: maintenance.port,
        localServer: localServer.port { self.interrupt() }
          ?? LocalServer { place, _ throws(ListenFailure) in
            Issue.record("nobody was expected to serve", sourceLocation: location)
            throw .unusableSocket(path: "\(place)", reason: "not provided")
          },
        providerFiles: providerFiles.port,
        confinement: Confinement(
          begin: { _ in Confinement.Measures(secretMemory: self.state.withLock { $0.hasSecretMemory }, fence: nil) },
          available: { nil }
        ),
        programs: programs.port,
        foreignFiles: foreignFiles.port,
        xml: .expat()
      )
    )
  }

  /// The devices that are plugged in.
  package var devices: HardwareKeys {
    state.withLock { $0.hasDevices } ? HardwareKeys(tpm: tpm.keys, pkcs11: token.keys) : .none
  }

  /// Gives this world a TPM and a token.
  package func plugInDevices() { state.withLock { $0.hasDevices = true } }

  /// Presses Ctrl-C, for every watch.
  ///
  /// - Returns: Whether there was one; else the process had ended.
  @discardableResult
  package func interrupt() -> Bool {
    let watches = state.withLock { $0.watches.compactMap(\.self) }
    for action in watches { action() }
    return !watches.isEmpty
  }

  private func transport(at location: SourceLocation) -> HTTPTransport {
    let send: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse = {
      request throws(HTTPFailure) in
      guard self.lifeline.isAlive else { throw .cancelled }
      // As the real one asks: before the connection, and when it is there.
      guard request.mayBeSent?() ?? true, request.mayBeSent?() ?? true else { throw .withheld }
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
      stream: { request throws(HTTPFailure) in try await streamed(request, by: send) },
      prepare: { self.state.withLock { $0.preparations += 1 } }
    )
  }

  private static func path(of file: StoredFile) -> String {
    if case .account(let id) = file { "/data/accounts/\(id).json" } else { "/data/\(file)" }
  }

  private var files: Files {
    Files(
      read: { file throws(FilesFailure) in
        guard self.lifeline.isAlive else { throw .busy }
        return try self.state.withLock { state throws(FilesFailure) in
          state.reads[file, default: 0] += 1
          if case .account(let id) = file, let failure = state.exposed[id] { throw failure }
          return state.files[file]
        }
      },
      replace: { file, bytes throws(FilesFailure) in
        guard self.lifeline.write() else { throw .busy }
        if self.state.withLock({ $0.isDiskFull }) { throw .failed(path: "/state", reason: "no space left on device") }
        self.state.withLock { state in
          state.files[file] = bytes
          state.replacements[file, default: 0] += 1
          if file.isWatched { state.changes? += 1 }
        }
      },
      remove: { file throws(FilesFailure) in
        guard self.lifeline.write() else { throw .busy }
        self.state.withLock { state in
          state.files[file] = nil
          if file.isWatched { state.changes? += 1 }
        }
      },
      accounts: { () throws(FilesFailure) in
        guard self.lifeline.isAlive else { throw .busy }
        return self.state.withLock { state in
          state.files.keys.compactMap { if case .account(let id) = $0 { id } else { nil } }
        }
      },
      eachAccount: { body throws(FilesFailure) in
        guard self.lifeline.isAlive else { throw .busy }
        for case (.account(let id), let bytes) in self.state.withLock({ $0.files }) {
          let isReadable = self.state.withLock { state in
            guard let place = state.unreadable.firstIndex(of: .account(id)) else { return true }
            state.unreadable.remove(at: place)
            return false
          }
          let exposed = self.state.withLock { $0.exposed[id] }
          let failure = exposed ?? FilesFailure.failed(path: "\(id).json", reason: "input/output error")
          guard body([(id, isReadable && exposed == nil ? .success(bytes) : .failure(failure))]) else { return }
        }
      },
      inspect: { file in (Self.path(of: file), self.state.withLock { $0.files[file] } ?? [], true) },
      lock: { _, _ throws(FilesFailure) in HeldLock {} },
      fileSystem: { folder throws(FilesFailure) in self.state.withLock { $0.fileSystems[folder] } },
      changes: { self.state.withLock { $0.changes.map(ChangeMark.init) } }
    )
  }

  private var streams: Streams {
    var streams = Streams(
      output: { bytes throws(StreamFailure) in
        let text = bytes.withBytes { span in
          unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
        // A table folds what it prints, and help is not a hint.
        let isPlain = self.state.withLock { state in
          state.out.append(text)
          return state.columns == nil && !text.hasPrefix("OVERVIEW:")
        }
        if isPlain { PrintedLines.hand(over: text) }
      },
      notice: { line in
        PrintedLines.hand(over: line)
        self.pass("")
        self.state.withLock { $0.err.append(line) }
      },
      input: { path, limit throws(StreamFailure) in
        guard let bytes = self.state.withLock({ $0.inputs[path] }) else {
          throw .failed(name: path, reason: "no such file or directory")
        }
        guard bytes.count <= limit else { throw .tooLarge(name: path, limit: limit) }
        return Secret(bytes)
      },
      outputIsTerminal: state.withLock { $0.columns != nil },
      source: { path throws(StreamFailure) in
        guard let bytes = self.state.withLock({ $0.inputs[path] }) else {
          throw .failed(name: path, reason: "no such file or directory")
        }
        let rest = Mutex(parts(of: bytes)[...])
        return ByteSource(length: path == "-" ? nil : Int64(bytes.count)) { rest.withLock { $0.popFirst() } }
      },
      sink: { path throws(StreamFailure) in
        ByteSink(
          write: { part in
            let text = String(decoding: part, as: UTF8.self)
            self.state.withLock { state in
              if path == "-" {
                state.out.append(text)
              } else {
                state.outputs[path, default: ""] += text
              }
            }
          },
          finish: {},
          discard: { self.state.withLock { $0.outputs[path] = nil } },
          isAtomic: path != "-"
        )
      },
      columns: { self.state.withLock { $0.columns } }
    )
    streams.publish = { path, contents throws(PublishFailure) in
      let text = contents.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
      try self.state.withLock { state throws(PublishFailure) in
        if let failure = state.publishFailure { throw failure }
        state.outputs[path] = text
      }
    }
    if state.withLock({ $0.passing != nil }) {
      streams.passing = pass
      streams.link = { url in
        self.pass("")
        self.state.withLock { $0.err.append("[link] \(url)") }
      }
    }
    return streams
  }

  /// Replaces the line that was shown last; there may be none to erase.
  @Sendable private func pass(_ line: String) {
    state.withLock { state in
      guard !line.isEmpty || state.passing?.last?.isEmpty == false else { return }
      state.passing?.append(line)
    }
  }

  private var terminal: Terminal {
    let next: @Sendable () -> String? = { self.state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() } }
    let answer: @Sendable (String) -> String? = { prompt in
      self.state.withLock { $0.prompts.append(prompt) }
      return next()
    }
    var terminal = Terminal(
      canAsk: { self.state.withLock { !$0.answers.isEmpty || $0.keys != nil } },
      ask: answer,
      askSecret: { answer($0).map { Secret($0) } },
      lines: { _ in
        AsyncStream { continuation in
          while let line = next() { continuation.yield(Secret(line)) }
          continuation.finish()
        }
      },
      interact: interact
    )
    // What a test provides as standard input is a pipe's.
    terminal.isInput = { self.state.withLock { $0.inputs["-"] == nil && !$0.answers.isEmpty } }
    return terminal
  }

  /// A window as wide as standard output and 24 lines high; it closes when the keys are used up.
  private func interact(_ react: (Keystroke?, TerminalSize) -> [String]?) -> Bool {
    let (keys, columns) = state.withLock { state in
      defer { if state.keys != nil { state.keys = [] } }
      return (state.keys, state.columns)
    }
    guard let keys else { return false }
    for key in [nil] + keys.map(Optional.some) {
      guard let frame = react(key, TerminalSize(columns: columns ?? 80, rows: 24)) else { break }
      state.withLock { $0.frames.append(frame) }
    }
    return true
  }
}

/// Sleeps until the task is cancelled, like a clock that stands.
private func untilCancelled() async -> Bool {
  let (nothing, ending) = AsyncStream.makeStream(of: Never.self)
  for await _ in nothing {}
  ending.finish()
  return false
}

/// What comes of a body at once, at most 1 MiB.
private func parts(of bytes: [UInt8]) -> [[UInt8]] {
  stride(from: 0, to: bytes.count, by: 1 << 20).map { start in Array(bytes[start..<min(start + 1 << 20, bytes.count)]) }
}

/// Answers a streamed request like one that is held in memory.
private func streamed(
  _ request: StreamedRequest,
  by send: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
) async throws(HTTPFailure) -> StreamedResponse {
  var body: [UInt8]?
  if let source = request.body {
    var bytes: [UInt8] = []
    do { while let part = try await source.next() { bytes += part } } catch { throw .source(error) }
    body = bytes
  }
  let response = try await send(
    HTTPRequest(
      method: request.method,
      url: request.url,
      fields: request.plainFields,
      body: body,
      releasing: request.released,
      timeout: request.timeout,
      identity: request.identity
    )
  )
  let bytes = response.body.withBytes { span in
    // At once: a debug build takes seconds for the megabytes of some bodies, one byte after the other.
    unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
  }
  let rest = Mutex(parts(of: bytes)[...])
  return StreamedResponse(
    head: ResponseHead(
      status: response.status,
      statusLine: "HTTP/1.1 \(response.status) Whatever",
      fields: response.fields
    ),
    next: { rest.withLock { $0.popFirst() } },
    cancel: {}
  )
}

extension StoredFile {
  /// Whether it lies where accounts do, as the real one.
  fileprivate var isWatched: Bool {
    switch self {
    case .account, .active, .places, .keyringDecision, .deviceID, .clients, .setups, .removals: true
    case .nonce, .identity, .limits, .directories, .refusals, .renewals, .uses, .useMark: false
    }
  }
}
