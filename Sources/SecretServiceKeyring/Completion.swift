import CLibSecret

/// Where a call of GLib's leaves its result.
@safe final class Completion {
  private(set) var result: AsyncResult?

  /// What to give to the call as its callback.
  let callback: GAsyncReadyCallback = { source, result, data in
    guard let source = unsafe source, let result = unsafe result, let data = unsafe data
    else { return }
    let completion = unsafe Unmanaged<Completion>.fromOpaque(data).takeRetainedValue()
    completion.result = unsafe AsyncResult(source: source, result: result)
  }

  /// What to give to the call as its user data, once: it keeps this alive until the callback.
  var data: gpointer { unsafe Unmanaged.passRetained(self).toOpaque() }
}

/// What a call of GLib's came to: the object that it was made on, and what its `_finish` takes.
@safe final class AsyncResult {
  let source: UnsafeMutablePointer<GObject>
  let result: OpaquePointer

  /// Keeps what a callback is lent.
  init(source: UnsafeMutablePointer<GObject>, result: OpaquePointer) {
    unsafe self.source = source
    unsafe self.result = result
    unsafe g_object_ref(source)
    unsafe g_object_ref(UnsafeMutableRawPointer(result))
  }

  deinit {
    unsafe g_object_unref(UnsafeMutableRawPointer(result))
    unsafe g_object_unref(source)
  }
}
