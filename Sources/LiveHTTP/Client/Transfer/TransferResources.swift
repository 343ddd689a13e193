import AcctModel
import CLibCurl
import Glibc

/// Memory that libcurl points to for the length of a transfer; any part that may be secret is wiped.
///
/// It lies where secrets do, the header lines too: libcurl reads a list of the caller's own making as well as
/// one of `curl_slist_append`, which would copy each line to the heap for as long as an answer is waited for.
@safe final class TransferResources {
  private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
  private(set) var lines: UnsafeMutablePointer<curl_slist>?
  /// libcurl's words about a failure; it requires 256 bytes.
  let errorBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
  private var host: UnsafeMutablePointer<acct_curl_host>?

  init() { unsafe errorBuffer.initializeMemory(as: UInt8.self, repeating: 0) }

  deinit { unsafe errorBuffer.deallocate() }

  /// libcurl's words; for this room alone, since they may quote the request.
  var errorText: String { unsafe String(decoding: errorBuffer.prefix { $0 != 0 }, as: UTF8.self) }

  /// Lends a copy of bytes.
  func bytes(_ secret: Secret) -> UnsafeMutableRawBufferPointer {
    unsafe secret.withBytes { span in
      let block = unsafe SecretMemory.take(span.count + 1)
      unsafe span.withUnsafeBytes { unsafe block.copyMemory(from: $0) }
      unsafe block[span.count] = 0
      unsafe blocks.append(block)
      return unsafe block
    }
  }

  /// Makes the list of the header lines, one or more; to be called once.
  func list(_ headerLines: [HeaderLine]) {
    let block = unsafe SecretMemory.take(headerLines.reduce(0) { $0 + $1.count + 1 })
    unsafe blocks.append(block)
    let nodes = UnsafeMutablePointer<curl_slist>.allocate(capacity: headerLines.count)
    var filled = 0
    for (index, line) in headerLines.enumerated() {
      let text = unsafe UnsafeMutableRawBufferPointer(rebasing: block[filled...])
      unsafe line.write(to: text)
      unsafe text[line.count] = 0
      filled += line.count + 1
      unsafe (nodes + index).initialize(
        to: curl_slist(
          data: text.baseAddress?.assumingMemoryBound(to: CChar.self),
          next: index + 1 < headerLines.count ? nodes + index + 1 : nil
        )
      )
    }
    unsafe lines = nodes
  }

  /// The host that the certificate must name.
  func expectedHost(_ name: String, isAddress: Bool, _ library: CurlLibrary) -> UnsafeMutablePointer<acct_curl_host> {
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
  func free() {
    unsafe lines?.deallocate()
    unsafe lines = nil
    unsafe blocks.forEach { unsafe SecretMemory.release($0) }
    unsafe blocks = []
    unsafe host?.deallocate()
    unsafe host = nil
  }
}
