import AcctModel
import AcctPorts
import CPKCS11
package import KeyDevices
import PrivateFiles
import Secrets
import Synchronization

extension Tokens {
  /// The port over these tokens.
  package var keys: PKCS11Keys {
    PKCS11Keys(
      take: { uri, holder throws(HardwareKeyFailure) in try await self.take(uri, holder) },
      sign: { uri, digest, holder throws(HardwareKeyFailure) in try await self.sign(uri, digest, holder) },
      certificate: { uri, holder throws(HardwareKeyFailure) in try await self.certificate(uri, holder) },
      remove: { uri, holder throws(HardwareKeyFailure) in try await self.remove(uri, holder) },
      list: { uri in await self.list(uri) }
    )
  }

  private func take(_ uri: PKCS11URI, _ holder: KeyHolder) async throws(HardwareKeyFailure) -> PKCS11Key {
    let id = uri.id ?? entropy.bytes(16)
    return try await loggedIn(uri, holder) { session, _ throws(HardwareKeyFailure) in
      guard let key = try session.privateKey(uri) else { return try session.makeKey(uri, id: id) }
      try session.checkSuitable(key)
      return PKCS11Key(
        uri: try session.uri(of: key, uri),
        point: try session.point(of: key),
        isNew: false,
        mayHaveCopies: try session.mayHaveCopies(key.handle)
      )
    }
  }

  private func sign(
    _ uri: PKCS11URI,
    _ digest: [UInt8],
    _ holder: KeyHolder
  ) async throws(HardwareKeyFailure) -> [UInt8] {
    guard digest.count == 32 else { throw .failed(reason: "a digest of \(digest.count) bytes instead of 32") }
    let touch = touchWatch(holder)
    return try await loggedIn(uri, holder, touch) { session, pin throws(HardwareKeyFailure) in
      guard let key = try session.privateKey(uri) else { throw .gone }
      return try session.sign(digest, with: key, pin, touch)
    }
  }

  /// Reads a certificate, which is no secret: no PIN is asked for.
  private func certificate(_ uri: PKCS11URI, _ holder: KeyHolder) async throws(HardwareKeyFailure) -> [UInt8] {
    let (module, token) = try await token(uri, holder.patience)
    return try await session(module, token, holder.patience) { session, _ throws(HardwareKeyFailure) in
      let found = try session.objects(CKO_CERTIFICATE, uri)
      guard found.count < 2 else {
        throw .unsuitable(reason: "\(found.count) certificates match the URI; object=LABEL or id=ID selects one")
      }
      guard let (handle, _, _) = found.first, let value = try session.value(of: CKA_VALUE, handle) else {
        throw .unsuitable(reason: "the token has no certificate that matches the URI")
      }
      return value
    }
  }

  private func remove(_ uri: PKCS11URI, _ holder: KeyHolder) async throws(HardwareKeyFailure) {
    guard uri.id != nil || uri.object != nil else {
      throw .unsuitable(reason: "the URI names no key; object=LABEL or id=ID does")
    }
    try await loggedIn(uri, holder) { session, _ throws(HardwareKeyFailure) in
      try session.writing { writer throws(HardwareKeyFailure) in try writer.removeKey(uri) }
    }
  }

  private func list(_ uri: PKCS11URI?) async -> [PKCS11Slot] {
    let uri = uri ?? PKCS11URI()
    var slots: [PKCS11Slot] = []
    for path in modulePaths(uri) {
      do throws(HardwareKeyFailure) {
        for (module, token) in try await tokens(path, uri, .brief) { slots.append(await slot(module, token, uri)) }
      } catch {
        slots.append(PKCS11Slot(module: path, failure: error))
      }
    }
    return slots
  }

  private func slot(_ module: Module, _ token: Token, _ uri: PKCS11URI) async -> PKCS11Slot {
    var slot = PKCS11Slot(module: module.path, token: "\(token.name) (\(printable(token.manufacturer)))")
    if !token.serial.isEmpty { slot.serial = printable(token.serial) }
    do throws(HardwareKeyFailure) {
      slot.keys = try await session(module, token, .brief) {
        session,
        _ throws(HardwareKeyFailure) in
        try session.publicKeys(uri)
      }
    } catch {
      slot.failure = error
    }
    return slot
  }

  /// Does something in a session in which the token's user is logged in.
  ///
  /// The PIN is asked for while no lock is held: a person takes minutes.
  private func loggedIn<Result: Sendable>(
    _ uri: PKCS11URI,
    _ holder: KeyHolder,
    _ touch: TouchWatch? = nil,
    _ body: @escaping @Sendable (Session, Secret?) throws(HardwareKeyFailure) -> Result
  ) async throws(HardwareKeyFailure) -> Result {
    let (module, token) = try await token(uri, holder.patience)
    let pin = try await pin(for: token, uri, holder)
    return try await session(module, token, holder.patience, touch) {
      session,
      brief throws(HardwareKeyFailure) in
      // At a PIN pad a person types.
      if pin == nil { brief.release() }
      return try session.loggedIn(pin) { () throws(HardwareKeyFailure) in
        brief.release()
        return try body(session, pin)
      }
    }
  }

  private func pin(
    for token: Token,
    _ uri: PKCS11URI,
    _ holder: KeyHolder
  ) async throws(HardwareKeyFailure) -> Secret? {
    guard token.needsLogin else { return nil }
    guard !token.isLockedOut else { throw .lockedOut }
    if token.hasPINPad { return nil }
    let request = PINRequest(device: token.name, file: uri.pinFile)
    return try await onDeviceThread(limit: nil, late: .cancelled) { () throws(HardwareKeyFailure) in
      try holder.pin(request)
    }
  }
}

/// Does work that blocks on a thread of its own, and suspends the caller meanwhile.
///
/// A call into a module can't be interrupted. After the limit the caller goes on without it; the thread and its
/// memory stay until the call returns or the process ends.
///
/// - Parameters:
///   - limit: The time limit of the work; without end if `nil`.
///   - late: The failure after that.
///   - body: The work.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, `late`, or a failure if no thread is available.
func onDeviceThread<Result: Sendable>(
  limit: Duration?,
  late: @autoclosure @escaping @Sendable () -> HardwareKeyFailure,
  _ body: @escaping @Sendable () throws(HardwareKeyFailure) -> Result
) async throws(HardwareKeyFailure) -> Result {
  let outcome: Swift.Result<Result, HardwareKeyFailure> = await withCheckedContinuation { caller in
    let answer = FirstAnswer(caller)
    let timer = limit.map { limit in after(limit) { answer.give(.failure(late())) } }
    let isStarted = startThread {
      let result = Swift.Result(catching: body)
      timer?.cancel()
      answer.give(result)
    }
    if !isStarted {
      timer?.cancel()
      answer.give(.failure(.failed(reason: "no thread could be started")))
    }
  }
  return try outcome.get()
}

/// Tells the person, once, when a signature takes long.
final class TouchWatch: Sendable {
  private let delay: Duration
  private let announce: @Sendable () -> Void
  private let announced = Mutex(false)

  init(after delay: Duration, _ announce: @escaping @Sendable () -> Void) {
    self.delay = delay
    self.announce = announce
  }

  var wasAnnounced: Bool { announced.withLock { $0 } }

  func watch<Result>(_ call: () -> Result) -> Result {
    let timer = after(delay) { [self] in
      let isFirst = announced.withLock { announced in
        defer { announced = true }
        return !announced
      }
      if isFirst { announce() }
    }
    defer { timer.cancel() }
    return call()
  }
}

/// Does something after a time, unless the task is cancelled before.
private func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
  Task {
    do { try await Task.sleep(for: delay) } catch { return }
    body()
  }
}

/// Resumes a caller with the first of two answers.
private final class FirstAnswer<Result: Sendable>: Sendable {
  private typealias Caller = CheckedContinuation<Swift.Result<Result, HardwareKeyFailure>, Never>
  private let caller: Mutex<Caller?>

  init(_ caller: CheckedContinuation<Swift.Result<Result, HardwareKeyFailure>, Never>) { self.caller = Mutex(caller) }

  func give(_ result: Swift.Result<Result, HardwareKeyFailure>) {
    caller.withLock { $0.take() }?.resume(returning: result)
  }
}
