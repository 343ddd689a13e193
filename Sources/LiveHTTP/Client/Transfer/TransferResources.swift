import AcctModel
import CLibCurl
import Glibc

/// Memory that libcurl points to for the length of a transfer; what may be secret is wiped.
@safe final class TransferResources {
  private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
  private(set) var lines: UnsafeMutablePointer<curl_slist>?
  /// What libcurl says about a failure; 256 bytes are what it asks for.
  let errorBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
  private var host: UnsafeMutablePointer<acct_curl_host>?

  init() { unsafe errorBuffer.initializeMemory(as: UInt8.self, repeating: 0) }

  deinit { unsafe errorBuffer.deallocate() }

  /// libcurl's words; for this room alone, since they may quote the request.
  var errorText: String {
    unsafe String(decoding: errorBuffer.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Lends a copy of bytes.
  func bytes(_ secret: Secret) -> UnsafeMutableRawBufferPointer {
    unsafe secret.withBytes { span in
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: span.count + 1, alignment: 1)
      unsafe span.withUnsafeBytes { unsafe block.copyMemory(from: $0) }
      unsafe block[span.count] = 0
      unsafe blocks.append(block)
      return unsafe block
    }
  }

  /// Adds a header line; libcurl copies it.
  func add(_ line: Secret, _ library: CurlLibrary) -> Bool {
    let text = unsafe bytes(line)
    let start = unsafe text.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard let longer = unsafe library.table.pointee.slist_append(lines, start) else { return false }
    unsafe lines = longer
    return true
  }

  /// The host that the certificate must name.
  func expectedHost(
    _ name: String,
    isAddress: Bool,
    _ library: CurlLibrary
  ) -> UnsafeMutablePointer<acct_curl_host> {
    let text = unsafe bytes(Secret(name))
    let host = UnsafeMutablePointer<acct_curl_host>.allocate(capacity: 1)
    unsafe host.initialize(
      to: acct_curl_host(
        curl: library.table,
        name: text.baseAddress?.assumingMemoryBound(to: CChar.self),
        is_address: isAddress ? 1 : 0,
        info: CloseNotifyMonitor.callback
      )
    )
    unsafe self.host = host
    return unsafe host
  }

  /// Wipes and frees everything; libcurl must have released it.
  func free(_ library: CurlLibrary) {
    var line = unsafe lines
    while let current = unsafe line {
      if let data = unsafe current.pointee.data { unsafe explicit_bzero(data, strlen(data)) }
      unsafe line = current.pointee.next
    }
    unsafe library.table.pointee.slist_free_all(lines)
    unsafe lines = nil
    unsafe blocks.forEach { block in
      if let start = block.baseAddress { unsafe explicit_bzero(start, block.count) }
      unsafe block.deallocate()
    }
    unsafe blocks = []
    unsafe host?.deallocate()
    unsafe host = nil
  }
}
