import AcctModel
import AcctPorts
import CLibCurl
import Curl
import Glibc
import Synchronization

/// One request and its response: a libcurl handle, and the state that its callbacks share.
///
/// But for the pipes and the head, which are locked, everything is for the holder of ``TransferWork``, one thread at
/// a time.
@safe final class Transfer: @unchecked Sendable {
  private(set) var message: RequestMessage
  let route: Route
  let rootsFile: String?
  let library: CurlTable
  /// `true` if a device signs in the handshake, and a person may have to be waited for.
  ///
  /// Kept, since who orders the transfer asks when another thread may be through with it, and have forgotten the message.
  let usesDevice: Bool
  let response: ResponsePipe
  let upload: RequestPipe?

  private let head = Mutex(HeadState.none)
  private let removal = Mutex(Removal())

  // The state that goes with the work.
  var easy: UnsafeMutableRawPointer?
  let memory = LentMemory()
  /// The head, until its reader is told.
  var arrivedHead: ResponseHead?
  /// The list to enter when more of its response comes; set for as long as it has a handle.
  var growing: GrowingTransfers?
  /// `true` while it is in that list.
  var isNoted = false
  var parser = ResponseHeadParser()
  /// A callback's failure, which libcurl does not know.
  var failure: HTTPFailure?
  /// `true` if an address of its host is one that it may not reach.
  var metInside = false
  /// `true` once the request was put on a connection, which happens once.
  var wasSent = false
  /// The TLS session whose end is the body's, if it is.
  var session: UnsafeRawPointer?
  /// When something last moved.
  var lastProgress = ContinuousClock.now
  var lastSize: curl_off_t = 0

  private enum HeadState {
    case none
    case awaited(CheckedContinuation<Result<ResponseHead, HTTPFailure>, Never>)
    case settled(Result<ResponseHead, HTTPFailure>)
    /// Its one reader has it, and no copy stays here: a field may be a secret.
    case handedOver
  }

  private struct Removal {
    var isRemoved = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  init(_ message: RequestMessage, _ route: Route, rootsFile: String?, _ library: CurlTable) {
    self.library = library
    self.message = message
    self.route = route
    self.rootsFile = rootsFile
    usesDevice = if case .device? = message.identity?.key { true } else { false }
    response = ResponsePipe(reuses: !message.isHeldInMemory)
    upload = if case .source(let source) = message.body { RequestPipe(source) } else { nil }
  }

  /// Waits for the head, or the failure in its place.
  func head(_ start: () -> Void) async -> Result<ResponseHead, HTTPFailure> {
    await withCheckedContinuation { caller in
      let isNew = head.withLock { state in
        // A task that was cancelled before gets its failure here.
        if case .settled(let outcome) = state {
          caller.resume(returning: outcome)
          state = .handedOver
          return false
        }
        state = .awaited(caller)
        return true
      }
      if isNew { start() }
    }
  }

  /// Hands the bytes that have come to a reader that waits for them.
  ///
  /// - Parameter evenIfGrowing: `true` to do so even if something of the body came since the last call.
  /// - Returns: `true` if it need not be called before more comes.
  func flush(evenIfGrowing: Bool) -> Bool {
    if let head = arrivedHead.take() { settle(.success(head)) }
    return response.flush(evenIfGrowing: evenIfGrowing)
  }

  /// Returns the head to the waiting task, whose wait ends.
  private func settle(_ outcome: Result<ResponseHead, HTTPFailure>) {
    head.withLock { state in
      switch state {
      case .none: state = .settled(outcome)
      case .awaited(let caller):
        caller.resume(returning: outcome)
        state = .handedOver
      case .settled, .handedOver: break
      }
    }
  }

  /// Ends every wait for this transfer, which libcurl has released.
  ///
  /// Its secrets are wiped first: the waiting task may end the process before this thread has
  /// finished its round and released the transfer.
  func end(_ failure: HTTPFailure?) {
    message.forgetSecrets()
    // First, so that a reader that is done does not order it to be cancelled.
    removal.withLock { removal in
      removal.isRemoved = true
      for waiting in removal.waiting { waiting.resume() }
      removal.waiting = []
    }
    // Before its head is delivered: a reader has it all at once then, and waits no more.
    response.end(failure)
    settle(arrivedHead.take().map { .success($0) } ?? .failure(failure ?? .closed))
    upload?.close()
  }

  /// `true` if libcurl has released it, or never got it.
  var hasEnded: Bool { removal.withLock { $0.isRemoved } }

  /// Waits until libcurl has released it.
  func removed() async {
    await withCheckedContinuation { caller in
      removal.withLock { removal in
        if removal.isRemoved { caller.resume() } else { removal.waiting.append(caller) }
      }
    }
  }

  /// `true` if nothing has moved for too long, and neither a reader nor a source is the cause.
  func isStalled() -> Bool {
    guard case .each(let seconds) = message.timeout, let easy = unsafe easy else { return false }
    let size =
      unsafe acct_curl_get_size(library.functions, easy, CURLINFO_SIZE_UPLOAD_T)
      &+ acct_curl_get_size(library.functions, easy, CURLINFO_SIZE_DOWNLOAD_T)
    // A wait that ended a moment ago counts: it may have filled all the time since the last look.
    let wasHeldUp = response.hasBeenHeldUp()
    let wasWaitedFor = upload?.hasBeenWaitedFor() ?? false
    if size != lastSize || wasHeldUp || wasWaitedFor {
      lastSize = size
      lastProgress = .now
    }
    return lastProgress.duration(to: .now) >= .seconds(seconds)
  }
}

/// The way to a server.
enum Route: Hashable, Sendable {
  case direct
  case proxied(Proxy)
}

/// The functions that libcurl calls, with the transfer as their data, on the thread that holds ``TransferWork``.
extension Transfer {
  func setCallbacks(_ options: inout HandleOptions) {
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe options.setCallback(CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, data) { start, _, count, data in
      guard let start = unsafe start else { return 0 }
      let line = unsafe UnsafeRawBufferPointer(start: start, count: count)
      return unsafe transfer(data).took(line) ? count : 0
    }
    unsafe options.setCallback(CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, data) { start, _, count, data in
      guard let start = unsafe start else { return 0 }
      let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
      return unsafe transfer(data).took(part: bytes) ? count : Int(CURL_WRITEFUNC_PAUSE)
    }
    unsafe options.setPrerequisite(data) { data, address, _, _, _ in
      let transfer = unsafe transfer(data)
      let mayReach = unsafe transfer.mayReach(address)
      return mayReach && transfer.maySend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
    unsafe limitReach(&options, data)
    guard upload != nil else { return }
    unsafe options.setCallback(CURLOPT_READFUNCTION, CURLOPT_READDATA, data) { start, size, count, data in
      guard let start = unsafe start else { return Int(CURL_READFUNC_ABORT) }
      return unsafe transfer(data).draw(into: UnsafeMutableRawBufferPointer(start: start, count: size * count))
    }
  }

  private func took(_ line: UnsafeRawBufferPointer) -> Bool {
    do throws(HTTPFailure) {
      guard let head = try parser.take(unsafe line.bindMemory(to: UInt8.self).span) else { return true }
      if endsWithConnection(head) { listenForGoodbye() }
      arrivedHead = head
      growing?.note(self)
      return true
    } catch {
      failure = error
      return false
    }
  }

  private func took(part bytes: UnsafeRawBufferPointer) -> Bool {
    guard unsafe response.offer(bytes) else { return false }
    growing?.note(self)
    return true
  }

  /// `true` if nothing but the connection's end marks the body's (RFC 9112, section 6.3).
  private func endsWithConnection(_ head: ResponseHead) -> Bool {
    message.url.origin.scheme == .https && message.method != "HEAD"
      && ![204, 304].contains(head.status)
      && !head.fields.contains { $0.name.isField(among: ["content-length", "transfer-encoding"]) }
  }

  private func listenForGoodbye() {
    guard let easy = unsafe easy, let session = unsafe acct_curl_session(library.functions, easy) else { return }
    unsafe CloseNotifyMonitor.listen(for: session)
    unsafe self.session = session
  }

  /// Decides whether libcurl may put the request on a connection: once.
  ///
  /// It would send a request again whose connection, one that was used before, ended without an
  /// answer, or that was answered with 417. Only the caller knows whether that does harm, and whether its time has
  /// passed while the connection was made.
  private func maySend() -> Bool {
    guard !wasSent else {
      if !parser.isComplete { failure = .closed }
      return false
    }
    guard message.mayBeSent?() ?? true else {
      failure = .withheld
      return false
    }
    wasSent = true
    return true
  }

  private func draw(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let upload else { return Int(CURL_READFUNC_ABORT) }
    switch unsafe upload.draw(into: buffer) {
    case .bytes(let count): return count
    case .wait: return Int(CURL_READFUNC_PAUSE)
    case .end: return 0
    case .failed(let why):
      failure = why
      return Int(CURL_READFUNC_ABORT)
    }
  }
}

/// The transfer that a callback is for; it lives for as long as its handle.
private func transfer(_ data: UnsafeMutableRawPointer?) -> Transfer {
  unsafe Unmanaged<Transfer>.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
}

/// The certificate that a transfer presents to a server that asks for one.
extension Transfer {
  /// The time for a person to give a PIN and to touch a token, in seconds.
  static let deviceTimeout = 120

  func setIdentity(_ options: inout HandleOptions) {
    guard let identity = message.identity else { return }
    switch identity.key {
    case .pem(let key): options.setIdentity(certificate: identity.certificate, key: key)
    case .device:
      let data = unsafe Unmanaged.passUnretained(self).toOpaque()
      unsafe options.setIdentity(certificate: identity.certificate, device: data) { data, digest, signature in
        guard let data = unsafe data, let digest = unsafe digest, let signature = unsafe signature else { return 0 }
        let transfer = unsafe Unmanaged<Transfer>.fromOpaque(data).takeUnretainedValue()
        guard let made = unsafe transfer.sign(Array(UnsafeBufferPointer(start: digest, count: 32))) else { return 0 }
        for (index, byte) in made.enumerated() { unsafe signature[index] = byte }
        return 1
      }
    }
  }

  /// Has the device sign a digest of 32 bytes, and waits for it; `nil` if it does not.
  private func sign(_ digest: [UInt8]) -> [UInt8]? {
    guard case .device(let sign)? = message.identity?.key else { return nil }
    defer { lastProgress = .now }
    let signed: Result<[UInt8], HardwareKeyFailure> = WaitingExecutor().run {
      do throws(HardwareKeyFailure) { return .success(try await sign(digest)) } catch { return .failure(error) }
    }
    switch signed {
    case .success(let signature) where signature.count == 64: return signature
    case .success(let signature):
      failure = .device(.malformedReply(reason: "a signature of \(signature.count) bytes"))
    case .failure(let error): failure = .device(error)
    }
    return nil
  }
}

/// The limit on the addresses that a transfer may connect to, by any name of its host.
///
/// Behind a proxy there is none: the proxy resolves the name, in its own network, and the address that is seen here is
/// the proxy's, which the user chose.
extension Transfer {
  private var isLimited: Bool { message.reach == .publicOnly && route == .direct }

  /// Has libcurl open no socket to an address that is not public.
  func limitReach(_ options: inout HandleOptions, _ data: UnsafeMutableRawPointer) {
    guard isLimited else { return }
    unsafe options.setOpenSocket(data) { data, _, address in
      guard let address = unsafe address, let data = unsafe data else { return CURL_SOCKET_BAD }
      let transfer = unsafe Unmanaged<Transfer>.fromOpaque(data).takeUnretainedValue()
      return unsafe transfer.socket(to: address)
    }
  }

  private func socket(to address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    let target = unsafe IPAddress(acct_curl_address(address))
    guard target?.isPublic == true else {
      // Another address of the same name may be public, and is tried next.
      metInside = true
      return CURL_SOCKET_BAD
    }
    return unsafe acct_curl_socket(address)
  }

  /// Decides whether the request may use its connection: one that is used again was opened for another request.
  func mayReach(_ address: UnsafeMutablePointer<CChar>?) -> Bool {
    guard isLimited else { return true }
    let text = unsafe address.map { unsafe String(cString: $0) } ?? ""
    if IPAddress(text)?.isPublic == true { return true }
    failure = .inside(host: message.url.origin.host)
    return false
  }
}

extension IPAddress {
  /// The address in a socket's; `nil` for another family than IP.
  fileprivate init?(_ address: UnsafePointer<sockaddr>) {
    switch Int32(unsafe address.pointee.sa_family) {
    case AF_INET:
      var inner = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
      self.init(bytes: unsafe withUnsafeBytes(of: &inner) { unsafe Array($0) })
    case AF_INET6:
      var inner = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
      self.init(bytes: unsafe withUnsafeBytes(of: &inner) { unsafe Array($0) })
    default: return nil
    }
  }
}

/// Runs the jobs of a task on the thread that waits for the task: a callback of C can't suspend.
///
/// No other thread is needed, so that it does not matter how many of the pool wait as well.
final class WaitingExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let count = Counter()

  /// A semaphore, which stays in its place.
  @safe private final class Counter: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { unsafe sem_init(semaphore, 0, 0) }
    deinit {
      unsafe sem_destroy(semaphore)
      unsafe semaphore.deallocate()
    }
    func post() { unsafe sem_post(semaphore) }
    func wait() { while unsafe sem_wait(semaphore) != 0 {} }
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    count.post()
  }

  /// Does asynchronous work, and returns when it is done.
  func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let outcome = Outcome<Value>()
    Task(executorPreference: self) {
      let value = await body()
      outcome.value.withLock { $0 = value }
      self.count.post()
    }
    while true {
      count.wait()
      let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      if let job { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
      if let value = outcome.value.withLock({ $0 }) { return value }
    }
  }
}
