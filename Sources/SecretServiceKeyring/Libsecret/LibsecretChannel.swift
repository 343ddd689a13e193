import AcctPorts
import CLibSecret
import Secrets
import SessionBus
import Synchronization

/// The session bus by way of GIO, for conversations in which libsecret asks a person.
@safe final class LibsecretChannel: Channel {
  let libsecret: acct_libsecret
  let loop: BoundedLoop
  let pointer: OpaquePointer
  var session: Session?
  private var underWay: [UInt32: Completion] = [:]
  private var replies: [UInt32: BusMessage] = [:]
  private var lastSerial: UInt32 = 0
  private let filter: ReplyFilter
  private static let flags = GDBusConnectionFlags(
    rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
      | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
  )

  /// Connects and shakes hands.
  ///
  /// - Throws: `KeyringFailure.unavailable`, or `timedOut` if the bus does not answer; `locked`
  ///   where libsecret is missing.
  init(to address: BusAddress, time: Duration) throws(KeyringFailure) {
    libsecret = try loadedLibsecret()
    loop = BoundedLoop(libsecret, time: time)
    let connecting = Completion(libsecret)
    unsafe libsecret.g_dbus_connection_new_for_address(
      address.text,
      Self.flags,
      nil,
      loop.cancellable,
      connecting.callback,
      connecting.data
    )
    let connected = try loop.result(of: connecting)
    var error: UnsafeMutablePointer<GError>?
    guard
      let pointer = unsafe libsecret.g_dbus_connection_new_for_address_finish(connected.result, &error)
    else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    unsafe self.pointer = pointer
    filter = unsafe ReplyFilter(libsecret, on: pointer)
  }

  // With its last reference goes the socket; to close it with a farewell could wait for ever.
  deinit { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(pointer)) }

  func send<Answer>(_ call: BusCall<Answer>, to name: String) throws(KeyringFailure) -> UInt32 {
    lastSerial += 1
    var bytes = call.message(serial: lastSerial, to: name)
    var error: UnsafeMutablePointer<GError>?
    let made = unsafe libsecret.g_dbus_message_new_from_blob(
      &bytes,
      gsize(bytes.count),
      G_DBUS_CAPABILITY_FLAGS_NONE,
      &error
    )
    // GIO has its own copy, which is out of reach.
    _ = Secret(consuming: &bytes)
    guard let message = unsafe made else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    defer { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(message)) }
    let completion = Completion(libsecret)
    // The loop has the only clock: no time-out of GDBus's own.
    unsafe libsecret.g_dbus_connection_send_message_with_reply(
      pointer,
      message,
      G_DBUS_SEND_MESSAGE_FLAGS_NONE,
      Int32.max,
      nil,
      loop.cancellable,
      completion.callback,
      completion.data
    )
    underWay[lastSerial] = completion
    return lastSerial
  }

  func askOwner(of name: String) throws(KeyringFailure) -> UInt32 {
    let question = BusCall.owner(of: name)
    let serial = try send(question, to: BusConnection.bus)
    // The filter has to know before the owner answers anything. Here a person is asked: the round trip
    // does not matter.
    let reply = try reply(to: serial)
    filter.believe(try? reply.answer(to: question))
    replies[serial] = reply
    return serial
  }

  func forget(_ serial: UInt32) { underWay[serial] = nil }

  func reply(to serial: UInt32) throws(KeyringFailure) -> BusMessage {
    if let reply = replies.removeValue(forKey: serial) { return reply }
    guard let completion = underWay.removeValue(forKey: serial) else {
      throw .failed(reason: "a reply was asked for twice")
    }
    let result = try loop.result(of: completion)
    var error: UnsafeMutablePointer<GError>?
    guard
      let reply = unsafe libsecret.g_dbus_connection_send_message_with_reply_finish(pointer, result.result, &error)
    else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    defer { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(reply)) }
    var count: gsize = 0
    let made = unsafe libsecret.g_dbus_message_to_blob(reply, &count, G_DBUS_CAPABILITY_FLAGS_NONE, &error)
    guard let blob = unsafe made else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    defer { unsafe libsecret.g_free(blob) }
    let bytes = unsafe Secret(UnsafeBufferPointer(start: blob, count: Int(count)))
    do { return try BusMessage(bytes) } catch { throw KeyringFailure(error) }
  }

  /// Has the provider show a prompt, and returns the object that was made once the person has answered, if one was.
  ///
  /// This is libsecret's: it knows how to wait for the signal, for the provider's end and for a
  /// cancellation. It tells dismissed prompts and completed ones apart by the result alone, so a caller checks for
  /// itself that its change was made.
  ///
  /// - Throws: `KeyringFailure.timedOut` after 2 minutes, `unavailable` if the provider ended.
  func perform(prompt path: String, of provider: String) throws(KeyringFailure) -> String? {
    loop.waitForPerson()
    let prompt = try unsafe makePrompt(path, of: provider)
    defer { unsafe libsecret.g_object_unref(prompt) }
    let performing = Completion(libsecret)
    unsafe libsecret.secret_prompt_perform(prompt, nil, nil, loop.cancellable, performing.callback, performing.data)
    let performed = try loop.result(of: performing)
    var error: UnsafeMutablePointer<GError>?
    let result = unsafe libsecret.secret_prompt_perform_finish(prompt, performed.result, &error)
    if unsafe error != nil { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    if loop.isOver { throw .timedOut }
    guard let result = unsafe result else {
      // libsecret takes the end of the provider for a dismissal.
      let asking = try send(.owner(of: provider), to: BusConnection.bus)
      if try reply(to: asking).errorName != nil { throw .wentAway }
      return nil
    }
    defer { unsafe libsecret.g_variant_unref(result) }
    guard unsafe libsecret.g_variant_classify(result) == G_VARIANT_CLASS_OBJECT_PATH,
      let path = unsafe libsecret.g_variant_get_string(result, nil)
    else { return nil }
    let object = unsafe String(cString: path)
    return object == "/" ? nil : object
  }

  private func makePrompt(
    _ path: String,
    of provider: String
  ) throws(KeyringFailure) -> UnsafeMutablePointer<SecretPrompt> {
    let making = Completion(libsecret)
    var libsecret = libsecret
    unsafe acct_prompt_new(&libsecret, pointer, provider, path, loop.cancellable, making.callback, making.data)
    let made = try loop.result(of: making)
    var error: UnsafeMutablePointer<GError>?
    guard
      let prompt = unsafe acct_prompt_new_finish(&libsecret, made.source, made.result, &error)
    else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    return unsafe prompt
  }
}

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

  /// Returns the result of a call that has been started, when it is done.
  ///
  /// - Throws: `KeyringFailure.timedOut` if it goes on although it was cancelled.
  func result(of call: Completion) throws(KeyringFailure) -> AsyncResult {
    while !isAbandoned, call.result == nil { _ = unsafe libsecret.g_main_context_iteration(context, 1) }
    guard let result = call.result else { throw .timedOut }
    return result
  }
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

/// Drops replies that come neither from the provider nor from the bus, before GDBus sees them.
///
/// GDBus takes a reply for the right one by its number alone, and a bus with a permissive policy, such as Debian's,
/// delivers the messages of any client. The calls of libsecret's own are covered as well.
@safe final class ReplyFilter: Sendable {
  /// Never changes, and its functions may be called on any thread.
  nonisolated(unsafe) private let libsecret: acct_libsecret
  private let provider = Mutex<String?>(nil)

  /// Installs the filter, for as long as the connection lasts.
  init(_ libsecret: acct_libsecret, on connection: OpaquePointer) {
    unsafe self.libsecret = libsecret
    let retained = unsafe Unmanaged.passRetained(self)
    _ = unsafe libsecret.g_dbus_connection_add_filter(
      connection,
      { _, message, isIncoming, data in
        guard isIncoming != 0, let message = unsafe message, let data = unsafe data else { return unsafe message }
        let filter = unsafe Unmanaged<ReplyFilter>.fromOpaque(data).takeUnretainedValue()
        return unsafe filter.passes(message) ? message : nil
      },
      retained.toOpaque(),
      { data in
        if let data = unsafe data { unsafe Unmanaged<ReplyFilter>.fromOpaque(data).release() }
      }
    )
  }

  /// Accepts a process besides the bus, which is named by its unique name.
  func believe(_ owner: String?) { provider.withLock { $0 = owner } }

  /// `true` if a message is passed on; one that is not is freed.
  ///
  /// GDBus calls this on a thread of its own.
  private func passes(_ message: OpaquePointer) -> Bool {
    let type = unsafe libsecret.g_dbus_message_get_message_type(message)
    guard type == G_DBUS_MESSAGE_TYPE_METHOD_RETURN || type == G_DBUS_MESSAGE_TYPE_ERROR else { return true }
    let sender = unsafe libsecret.g_dbus_message_get_sender(message).map { unsafe String(cString: $0) }
    if let sender, sender == BusConnection.bus || sender == provider.withLock({ $0 }) { return true }
    unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(message))
    return false
  }
}
