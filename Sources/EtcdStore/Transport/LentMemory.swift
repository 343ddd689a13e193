import AcctModel
import CLibCurl
import Glibc
import LoadedCurl

/// Memory that libcurl points to for the length of a request, wiped when libcurl has released it.
@safe final class LentMemory {
  private let curl: CurlTable
  private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
  private(set) var lines: UnsafeMutablePointer<curl_slist>?
  private let host = UnsafeMutablePointer<acct_curl_host>.allocate(capacity: 1)
  /// libcurl's words about a failure; it requires 256 bytes.
  let errorBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)

  init(_ curl: CurlTable) {
    self.curl = curl
    unsafe errorBuffer.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe host.initialize(to: acct_curl_host())
  }

  deinit {
    var line = unsafe lines
    while let current = unsafe line {
      if let data = unsafe current.pointee.data { unsafe explicit_bzero(data, strlen(data)) }
      unsafe line = current.pointee.next
    }
    unsafe curl.functions.pointee.slist_free_all(lines)
    unsafe blocks.forEach { block in
      if let start = block.baseAddress { unsafe explicit_bzero(start, block.count) }
      unsafe block.deallocate()
    }
    unsafe host.deallocate()
    unsafe errorBuffer.deallocate()
  }

  /// libcurl's words; for this room alone, since they may quote the request.
  var errorText: String { unsafe String(decoding: errorBuffer.prefix { $0 != 0 }, as: UTF8.self) }

  /// Lends a copy of bytes, with a zero byte behind it.
  func bytes(_ secret: Secret) -> UnsafeMutableRawPointer? {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: secret.count + 1, alignment: 1)
    secret.withBytes { span in unsafe span.withUnsafeBytes { unsafe block.copyMemory(from: $0) } }
    unsafe block[secret.count] = 0
    unsafe blocks.append(block)
    return block.baseAddress
  }

  /// Adds a line to the head of the request; libcurl copies it.
  func add(_ line: Secret) -> Bool {
    let text = unsafe bytes(line)?.assumingMemoryBound(to: CChar.self)
    guard let longer = unsafe curl.functions.pointee.slist_append(lines, text) else { return false }
    unsafe lines = longer
    return true
  }

  /// Lends the host that the certificate must name.
  func expectedHost(of origin: Origin) -> UnsafeMutablePointer<acct_curl_host> {
    let host = origin.unbracketedHost
    let name = unsafe bytes(Secret(host.hasSuffix(".") ? String(host.dropLast()) : host))
    unsafe self.host.pointee = acct_curl_host(
      curl: curl.functions,
      name: name?.assumingMemoryBound(to: CChar.self),
      is_address: IPAddress(host) != nil ? 1 : 0,
      info: nil
    )
    return unsafe self.host
  }
}
