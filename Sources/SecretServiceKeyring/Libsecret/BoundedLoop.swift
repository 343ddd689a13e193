import AcctPorts
import CLibSecret

/// The event loop of one operation, which ends pending calls when its time is up.
///
/// GLib's blocking calls have their own timeouts: connecting waits for ever, a call for 25
/// seconds. So nothing blocks here: an operation starts GLib's asynchronous calls, all with the one
/// cancellable, and turns this loop until they are done; a timer of the loop cancels them. A loop
/// belongs to the thread that made it.
@safe final class BoundedLoop {
  // GLib does not say which pointers can be missing; those that it makes never are.
  let cancellable: UnsafeMutablePointer<GCancellable>?
  private let libsecret: acct_libsecret
  private let context: OpaquePointer?
  private var timers: [LoopTimer] = []
  private var isAbandoned = false
  private var waitsForPerson = false

  /// Makes the loop that is its thread's own, and starts the clock.
  init(_ libsecret: acct_libsecret, time: Duration) {
    self.libsecret = libsecret
    unsafe cancellable = libsecret.g_cancellable_new()
    unsafe context = libsecret.g_main_context_new()
    unsafe libsecret.g_main_context_push_thread_default(context)
    start(time)
  }

  deinit {
    timers = []
    unsafe libsecret.g_main_context_pop_thread_default(context)
    unsafe libsecret.g_main_context_unref(context)
    unsafe libsecret.g_object_unref(cancellable)
  }

  /// `true` once the deadline has passed.
  var isOver: Bool { unsafe libsecret.g_cancellable_is_cancelled(cancellable) != 0 }

  /// Grants the 2 minutes that a person gets, once: however many prompts there are.
  func waitForPerson() {
    guard !waitsForPerson else { return }
    waitsForPerson = true
    start(.seconds(120))
  }

  private func start(_ time: Duration) {
    timers = [
      unsafe LoopTimer(libsecret, time, in: context) { [unowned self] in
        unsafe libsecret.g_cancellable_cancel(self.cancellable)
      },
      // GLib ends a cancelled call at once. libsecret first tells the provider to dismiss its prompt
      // and waits for the answer, which a frozen one never gives.
      unsafe LoopTimer(libsecret, time + .milliseconds(200), in: context) { [unowned self] in
        self.isAbandoned = true
      },
    ]
  }

  /// Returns the results of calls that have been started, in the same order, when all are done.
  ///
  /// - Throws: `KeyringFailure.timedOut` if one goes on although it was cancelled.
  func results(of calls: [Completion]) throws(KeyringFailure) -> [AsyncResult] {
    while !isAbandoned, calls.contains(where: { $0.result == nil }) {
      _ = unsafe libsecret.g_main_context_iteration(context, 1)
    }
    let results = calls.compactMap(\.result)
    guard results.count == calls.count else { throw .timedOut }
    return results
  }

  /// Returns the result of a call that has been started, when it is done.
  ///
  /// - Throws: `KeyringFailure.timedOut` if it goes on although it was cancelled.
  func result(of call: Completion) throws(KeyringFailure) -> AsyncResult { try results(of: [call])[0] }
}

/// Something that happens once in a loop, unless this value is gone by then.
@safe private final class LoopTimer {
  private let libsecret: acct_libsecret
  private let source: UnsafeMutablePointer<GSource>?
  private let action: () -> Void

  init(_ libsecret: acct_libsecret, _ time: Duration, in context: OpaquePointer?, action: @escaping () -> Void) {
    self.libsecret = libsecret
    let milliseconds = min(max(time / .milliseconds(1), 0), Double(Int32.max))
    unsafe source = libsecret.g_timeout_source_new(UInt32(milliseconds))
    self.action = action
    unsafe libsecret.g_source_set_callback(
      source,
      { timer in
        if let timer = unsafe timer { unsafe Unmanaged<LoopTimer>.fromOpaque(timer).takeUnretainedValue().action() }
        return 0
      },
      Unmanaged.passUnretained(self).toOpaque(),
      nil
    )
    _ = unsafe libsecret.g_source_attach(source, context)
  }

  deinit {
    unsafe libsecret.g_source_destroy(source)
    unsafe libsecret.g_source_unref(source)
  }
}

/// The result of an asynchronous call of GLib's, once it is there.
@safe final class Completion {
  private(set) var result: AsyncResult?
  private let libsecret: acct_libsecret

  init(_ libsecret: acct_libsecret) { self.libsecret = libsecret }

  /// The callback for the call.
  let callback: GAsyncReadyCallback = { source, result, data in
    guard let source = unsafe source, let result = unsafe result, let data = unsafe data else { return }
    let completion = unsafe Unmanaged<Completion>.fromOpaque(data).takeRetainedValue()
    completion.result = unsafe AsyncResult(completion.libsecret, source: source, result: result)
  }

  /// The user data for the call, once: it keeps this alive until the callback.
  var data: UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }
}

/// The outcome of a call of GLib's: the object that it was made on, and the argument for its `_finish`.
@safe final class AsyncResult {
  let source: UnsafeMutablePointer<GObject>
  let result: OpaquePointer
  private let libsecret: acct_libsecret

  /// Keeps the objects that a callback is lent.
  init(_ libsecret: acct_libsecret, source: UnsafeMutablePointer<GObject>, result: OpaquePointer) {
    self.libsecret = libsecret
    unsafe self.source = source
    unsafe self.result = result
    _ = unsafe libsecret.g_object_ref(source)
    _ = unsafe libsecret.g_object_ref(UnsafeMutableRawPointer(result))
  }

  deinit {
    unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(result))
    unsafe libsecret.g_object_unref(source)
  }
}
