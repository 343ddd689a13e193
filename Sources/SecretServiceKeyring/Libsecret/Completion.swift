import CLibSecret

/// Where a call of GLib's leaves its result.
@safe final class Completion {
  private(set) var result: AsyncResult?
  private let libsecret: acct_libsecret

  init(_ libsecret: acct_libsecret) { self.libsecret = libsecret }

  /// What to give to the call as its callback.
  let callback: GAsyncReadyCallback = { source, result, data in
    guard let source = unsafe source, let result = unsafe result, let data = unsafe data else { return }
    let completion = unsafe Unmanaged<Completion>.fromOpaque(data).takeRetainedValue()
    completion.result = unsafe AsyncResult(completion.libsecret, source: source, result: result)
  }

  /// What to give to the call as its user data, once: it keeps this alive until the callback.
  var data: UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }
}

/// What a call of GLib's came to: the object that it was made on, and what its `_finish` takes.
@safe final class AsyncResult {
  let source: UnsafeMutablePointer<GObject>
  let result: OpaquePointer
  private let libsecret: acct_libsecret

  /// Keeps what a callback is lent.
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
