import CLibCurl
import Curl

/// A URL as libcurl parses it.
@safe final class CurlURL {
  private let table: UnsafePointer<acct_curl>
  private let handle: OpaquePointer

  /// A part that cannot be decoded, or is not text.
  struct Malformed: Error {}

  /// Parses a URL with any scheme; `nil` for a text that is none.
  init?(_ text: String, _ library: CurlTable) {
    guard let handle = unsafe library.functions.pointee.url() else { return nil }
    unsafe self.handle = handle
    unsafe table = library.functions
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
    guard unsafe table.pointee.url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }
  }

  deinit { unsafe table.pointee.url_cleanup(handle) }

  /// Returns a part, percent-decoded if that is wanted; `nil` if the URL does not have it.
  func part(_ part: CURLUPart, decoded: Bool = false) throws(Malformed) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let flags = decoded ? UInt32(CURLU_URLDECODE) : 0
    let code = unsafe table.pointee.url_get(handle, part, &text, flags)
    if [CURLUE_NO_USER, CURLUE_NO_PASSWORD, CURLUE_NO_PORT].contains(code) { return nil }
    guard code == CURLUE_OK, let text = unsafe text else { throw Malformed() }
    defer { unsafe table.pointee.free(text) }
    guard let part = unsafe String(validatingCString: text) else { throw Malformed() }
    return part
  }
}
