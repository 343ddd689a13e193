import AcctModel
import Secrets
import CLibCurl

/// Memory that libcurl points to for the length of a request; any part that may be secret is wiped.
///
/// It lies where secrets do, the header lines too: libcurl reads a list of the caller's own making as well as
/// one of `curl_slist_append`, which would copy each line to the heap for as long as an answer is waited for.
@safe package final class LentMemory {
  private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
  private var lines: UnsafeMutablePointer<curl_slist>?
  private var host: UnsafeMutablePointer<acct_curl_host>?
  /// libcurl's words about a failure; it requires 256 bytes.
  let errorBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)

  package init() { unsafe errorBuffer.initializeMemory(as: UInt8.self, repeating: 0) }

  deinit {
    free()
    unsafe errorBuffer.deallocate()
  }

  /// Wipes and frees everything that was lent; libcurl must have released it.
  package func free() {
    unsafe lines?.deallocate()
    unsafe lines = nil
    unsafe blocks.forEach { unsafe SecretMemory.release($0) }
    unsafe blocks = []
    unsafe host?.deallocate()
    unsafe host = nil
  }

  /// libcurl's words; for this room alone, since they may quote the request.
  var errorText: String { unsafe String(decoding: errorBuffer.prefix { $0 != 0 }, as: UTF8.self) }

  /// Lends a copy of bytes, with a zero byte behind it.
  func bytes(_ secret: Secret) -> UnsafeMutableRawPointer? {
    unsafe secret.withBytes { span in
      let block = unsafe SecretMemory.take(span.count + 1)
      unsafe span.withUnsafeBytes { unsafe block.copyMemory(from: $0) }
      unsafe block[span.count] = 0
      unsafe blocks.append(block)
      return block.baseAddress
    }
  }

  /// Lends the list of the header lines, one or more; to be called once.
  func list(_ headerLines: [HeaderLine]) -> UnsafeMutablePointer<curl_slist> {
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
    return unsafe nodes
  }

  /// Has the connection forget the client's key after its handshake; the host was lent before.
  func forgetKey() { unsafe host?.pointee.forgets_key = 1 }

  /// Has the connection present certificates whose key signs elsewhere; the host was lent before.
  func present(_ certificates: Secret, _ device: UnsafeMutableRawPointer, _ sign: HandleOptions.DeviceCallback) {
    unsafe host?.pointee.certificates = unsafe UnsafePointer(bytes(certificates)?.assumingMemoryBound(to: CChar.self))
    unsafe host?.pointee.device = unsafe device
    unsafe host?.pointee.sign = sign
  }

  /// Lends the host that the certificate must name; to be called once.
  func expectedHost(
    of origin: Origin,
    _ curl: CurlTable,
    _ info: HandleOptions.SessionCallback?
  ) -> UnsafeMutablePointer<acct_curl_host> {
    let name = origin.unbracketedHost
    let text = unsafe bytes(Secret(name.hasSuffix(".") ? String(name.dropLast()) : name))
    let host = UnsafeMutablePointer<acct_curl_host>.allocate(capacity: 1)
    unsafe host.initialize(
      to: acct_curl_host(
        curl: curl.functions,
        name: text?.assumingMemoryBound(to: CChar.self),
        is_address: IPAddress(name) != nil ? 1 : 0,
        info: info,
        forgets_key: 0,
        certificates: nil,
        sign: nil,
        device: nil
      )
    )
    unsafe self.host = host
    return unsafe host
  }
}
