import AcctEngine
package import AcctModel
import KeyDevices
import Secrets
import Synchronization

/// The access to the keys behind one PIN, for the lifetime of the process: the PIN is asked for once, and a wrong one
/// is sent once.
///
/// A token has one PIN; each key in a TPM has its own, and the TPM counts the wrong ones of all.
///
/// Uses of one device take turns: several that began with one wrong PIN would lock the device.
final class DeviceAccess: Sendable {
  private enum PIN: Sendable {
    case unknown
    /// The device took it if it is proven.
    case known(Secret, isProven: Bool)
    /// The device rejected it.
    case wrong(triesLeft: Int?)
  }

  private let device: Device
  private let pin = Mutex(PIN.unknown)

  /// The state that the keys of one device share.
  final class Device: Sendable {
    fileprivate let turns = DeviceLock()
    fileprivate let rejected = Mutex<[(pin: Secret, triesLeft: Int?)]>([])
  }

  init(_ device: Device = Device()) { self.device = device }

  /// Uses the device for an operation with the key.
  ///
  /// - Parameters:
  ///   - context: Provides the sources of the PIN, and takes the request for a touch.
  ///   - body: Uses the device, with the answers of its holder.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  func use<Value>(
    in context: EngineContext,
    _ body: (KeyHolder) async throws(HardwareKeyFailure) -> Value
  ) async throws(HardwareKeyFailure) -> Value {
    try await device.turns.take()
    defer { device.turns.pass() }
    let holder = KeyHolder(
      pin: { request throws(HardwareKeyFailure) in try self.answer(request, from: PINSource(context)) },
      touch: { context.report(.forTouch) }
    )
    do throws(HardwareKeyFailure) {
      let value = try await body(holder)
      prove()
      return value
    } catch {
      switch error {
      case .wrongPIN(let triesLeft): reject(triesLeft)
      // The lockout is due to the last wrong PIN; one that the device accepted before is still right.
      case .lockedOut where !isProven: reject(0)
      case .absent, .forbidden, .busy, .lockedOut, .noPIN, .cancelled, .notTouched, .foreign,
        .owned, .gone, .unsuitable, .malformedReply, .failed:
        break
      }
      throw error
    }
  }

  private func answer(_ request: PINRequest, from source: PINSource) throws(HardwareKeyFailure) -> Secret {
    let known = pin.withLock { $0 }
    if case .known(let secret, _) = known { return secret }
    if case .wrong(let triesLeft) = known, source.isPrompt(for: request) { throw .wrongPIN(triesLeft: triesLeft) }
    let secret = try source.pin(request)
    // A file may contain another one by now.
    let rejected = device.rejected.withLock { $0.first { $0.pin == secret } }
    if let rejected, !request.isNew { throw .wrongPIN(triesLeft: rejected.triesLeft) }
    pin.withLock { $0 = .known(secret, isProven: false) }
    return secret
  }

  private var isProven: Bool {
    pin.withLock { pin in
      if case .known(_, true) = pin { true } else { false }
    }
  }

  private func prove() {
    pin.withLock { pin in
      if case .known(let secret, _) = pin { pin = .known(secret, isProven: true) }
    }
  }

  private func reject(_ triesLeft: Int?) {
    let wrong = pin.withLock { pin -> Secret? in
      guard case .known(let secret, _) = pin else { return nil }
      pin = .wrong(triesLeft: triesLeft)
      return secret
    }
    guard let wrong else { return }
    device.rejected.withLock { $0.append((wrong, triesLeft)) }
  }
}

/// Lets one task at a time use a device, in the order in which they came.
package final class DeviceLock: Sendable {
  private struct State {
    var isTaken = false
    var lastNumber = 0
    var waiting: [(number: Int, caller: CheckedContinuation<Bool, Never>)] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Waits for the caller's turn, and takes it; ``pass()`` ends it.
  ///
  /// A task that is cancelled stops waiting. It still takes a turn that is free: there may be a key to remove.
  ///
  /// - Throws: ``HardwareKeyFailure/cancelled``; then there is nothing to pass.
  package func take() async throws(HardwareKeyFailure) {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let isMine = await withTaskCancellationHandler {
      await withCheckedContinuation { (caller: CheckedContinuation<Bool, Never>) in
        let answer = state.withLock { state -> Bool? in
          guard state.isTaken else {
            state.isTaken = true
            return true
          }
          // The handler has run already, and found no waiting caller.
          if Task.isCancelled { return false }
          state.waiting.append((number, caller))
          return nil
        }
        if let answer { caller.resume(returning: answer) }
      }
    } onCancel: {
      leave(number)
    }
    guard isMine else { throw .cancelled }
  }

  /// Gives the turn to the next task.
  package func pass() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().caller
    }
    next?.resume(returning: true)
  }

  /// The number of waiting callers.
  package var length: Int { state.withLock { $0.waiting.count } }

  private func leave(_ number: Int) {
    let caller = state.withLock { state in
      state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).caller }
    }
    caller?.resume(returning: false)
  }
}
