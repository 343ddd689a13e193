import CLibCurl
import LoadedCurl

/// What libcurl calls, with the exchange as its data.
extension Exchange {
  func setCallbacks(_ options: inout HandleOptions) {
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    let (table, easy) = unsafe (options.curl.functions, options.easy)
    unsafe options.set(CURLOPT_HEADERDATA, pointer: data)
    unsafe options.note(
      acct_curl_set_callback(table, easy, CURLOPT_HEADERFUNCTION) { start, _, count, data in
        let line = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe exchange(data).took(line: line) ? count : 0
      }
    )
    unsafe options.set(CURLOPT_WRITEDATA, pointer: data)
    unsafe options.note(
      acct_curl_set_callback(table, easy, CURLOPT_WRITEFUNCTION) { start, _, count, data in
        let part = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe exchange(data).took(body: part) ? count : 0
      }
    )
    unsafe options.set(CURLOPT_PREREQDATA, pointer: data)
    unsafe options.note(
      acct_curl_set_prerequisite(table, easy) { data, _, _, _, _ in
        unsafe exchange(data).maySend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      }
    )
    // Closed on exec: programs that acct starts must not inherit a connection that is logged in.
    unsafe options.note(
      acct_curl_set_open_socket(table, easy) { _, _, address in
        guard let address = unsafe address else { return CURL_SOCKET_BAD }
        return unsafe acct_curl_socket(address)
      }
    )
  }
}

/// The exchange that a callback is for; it lives for as long as its handle.
private func exchange(_ data: UnsafeMutableRawPointer?) -> Exchange {
  unsafe Unmanaged<Exchange>.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
}
