import CLibCurl
import LoadedCurl

/// Sets options of a libcurl handle, and keeps whether it took them all.
@safe struct HandleOptions {
  let curl: CurlTable
  let easy: UnsafeMutableRawPointer
  /// `true` if the library knows every option that was set so far.
  private(set) var wereTaken = true

  init(_ curl: CurlTable, _ easy: UnsafeMutableRawPointer) {
    self.curl = curl
    unsafe self.easy = easy
  }

  mutating func set(_ option: CURLoption, _ value: Int) {
    note(unsafe acct_curl_set_long(curl.functions, easy, option, value))
  }
  mutating func set(_ option: CURLoption, _ value: String?) {
    note(unsafe acct_curl_set_string(curl.functions, easy, option, value))
  }
  mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
    note(unsafe acct_curl_set_pointer(curl.functions, easy, option, pointer))
  }
  mutating func note(_ code: CURLcode) { if code != CURLE_OK { wereTaken = false } }

  /// Sets options that older libraries lack, and that nothing depends on.
  func prefer(_ option: CURLoption, _ value: Int) { _ = unsafe acct_curl_set_long(curl.functions, easy, option, value) }
  func prefer(_ option: CURLoption, _ value: String) {
    _ = unsafe acct_curl_set_string(curl.functions, easy, option, value)
  }
}
