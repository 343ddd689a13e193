package import AcctModel
package import CLibCurl
import Glibc
package import Secrets

/// Sets options of a libcurl handle, and keeps whether it took them all.
@safe package struct HandleOptions {
  private let curl: CurlTable
  private let easy: UnsafeMutableRawPointer
  private let memory: LentMemory
  /// `true` if the library knows every option that was set so far.
  package private(set) var wereTaken = true

  /// Begins with the options that every request has.
  ///
  /// - Parameters:
  ///   - curl: The library.
  ///   - easy: A handle without options.
  ///   - memory: Holds what the options point to; it has to last as long as the handle.
  package init(_ curl: CurlTable, _ easy: UnsafeMutableRawPointer, _ memory: LentMemory) {
    self.curl = curl
    unsafe self.easy = easy
    self.memory = memory
    unsafe set(CURLOPT_ERRORBUFFER, pointer: memory.errorBuffer.baseAddress)
    // Signals belong to the process.
    set(CURLOPT_NOSIGNAL, 1)
    // From 7.87 on: a request that is over does not wait for a name that is slow to resolve.
    prefer(CURLOPT_QUICK_EXIT, 1)
  }

  package mutating func set(_ option: CURLoption, _ value: Int) {
    note(unsafe acct_curl_set_long(curl.functions, easy, option, value))
  }
  package mutating func set(_ option: CURLoption, size: Int64) {
    note(unsafe acct_curl_set_size(curl.functions, easy, option, curl_off_t(size)))
  }
  package mutating func set(_ option: CURLoption, _ value: String?) {
    note(unsafe acct_curl_set_string(curl.functions, easy, option, value))
  }
  /// Sets a text that is a secret and has no zero byte; libcurl has its own copy, which free(3) wipes.
  package mutating func set(_ option: CURLoption, _ value: Secret) {
    let text = Secret(joining: [value, Secret([0])])
    note(
      text.withBytes { bytes in
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe acct_curl_set_string(
            curl.functions,
            easy,
            option,
            bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
          )
        }
      }
    )
  }
  private mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
    note(unsafe acct_curl_set_pointer(curl.functions, easy, option, pointer))
  }
  private mutating func note(_ code: CURLcode) { if code != CURLE_OK { wereTaken = false } }

  /// Sets options that older libraries lack, and that nothing depends on.
  package func prefer(_ option: CURLoption, _ value: Int) {
    _ = unsafe acct_curl_set_long(curl.functions, easy, option, value)
  }
  package func prefer(_ option: CURLoption, _ value: String) {
    _ = unsafe acct_curl_set_string(curl.functions, easy, option, value)
  }

  /// Requires TLS from 1.2 on, and a certificate for the host of an origin.
  ///
  /// - Parameters:
  ///   - origin: The server, which may have an address for a name.
  ///   - rootsFile: The file of trusted certificates, in place of the system's.
  ///   - info: Is told by OpenSSL what happens in the connection.
  package mutating func setTrust(in origin: Origin, rootsFile: String?, info: SessionCallback? = nil) {
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    if let rootsFile {
      set(CURLOPT_CAINFO, rootsFile)
      set(CURLOPT_CAPATH, nil as String?)
    }
    let host = unsafe memory.expectedHost(of: origin, curl, info)
    note(unsafe acct_curl_expect_host(curl.functions, easy, host))
  }

  /// Lends the client's certificate and its key, which the server may ask for (RFC 8446, section 4.3.2); to be called
  /// after ``setTrust(in:rootsFile:info:)``.
  ///
  /// libcurl uses a connection again only for requests with the same certificate. The connection has the key until its
  /// handshake is done.
  ///
  /// - Parameters:
  ///   - certificate: In PEM, with those that certify it.
  ///   - key: In PEM, without a passphrase.
  package mutating func setIdentity(certificate: Secret, key: Secret) {
    set(CURLOPT_SSLCERT_BLOB, blob: certificate)
    set(CURLOPT_SSLKEY_BLOB, blob: key)
    memory.forgetKey()
    refusePassphrase()
  }

  /// Lends the client's certificate, whose key on P-256 is in a device; to be called after ``setTrust(in:rootsFile:info:)``.
  ///
  /// libcurl can't tell connections of one device from those of another, so it uses none again.
  ///
  /// - Parameters:
  ///   - certificate: In PEM, with those that certify it.
  ///   - device: The data of `sign`.
  ///   - sign: Signs a digest of 32 bytes: writes r and s, and returns 1.
  package mutating func setIdentity(
    certificate: Secret,
    device: UnsafeMutableRawPointer,
    sign: DeviceCallback
  ) {
    unsafe memory.present(certificate, device, sign)
    set(CURLOPT_FRESH_CONNECT, 1)
    set(CURLOPT_FORBID_REUSE, 1)
    set(CURLOPT_SSL_SESSIONID_CACHE, 0)
  }

  /// Takes the client's certificate and its key from files in PEM.
  ///
  /// - Parameters:
  ///   - certificate: The file of the certificate, which may have the key as well.
  ///   - key: The file of the key.
  package mutating func setIdentity(certificateFile certificate: String, keyFile key: String?) {
    set(CURLOPT_SSLCERT, certificate)
    set(CURLOPT_SSLKEY, key ?? certificate)
    refusePassphrase()
  }

  /// OpenSSL would ask at the terminal for the passphrase of a key that has one.
  private mutating func refusePassphrase() { set(CURLOPT_KEYPASSWD, "") }

  private mutating func set(_ option: CURLoption, blob bytes: Secret) {
    var blob = unsafe curl_blob(data: memory.bytes(bytes), len: bytes.count, flags: UInt32(CURL_BLOB_NOCOPY))
    unsafe withUnsafeMutablePointer(to: &blob) { unsafe set(option, pointer: $0) }
  }

  /// Lends the lines of the request's head, one or more; to be called once.
  package mutating func setHead(_ lines: [HeaderLine]) { unsafe set(CURLOPT_HTTPHEADER, pointer: memory.list(lines)) }

  /// Lends the request's body.
  package mutating func setBody(_ bytes: Secret) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, size: Int64(bytes.count))
    unsafe set(CURLOPT_POSTFIELDS, pointer: memory.bytes(bytes))
  }
}

/// The functions that libcurl calls, each with its data.
extension HandleOptions {
  package typealias SessionCallback = @convention(c) (UnsafeRawPointer?, Int32, Int32) -> Void
  package typealias DeviceCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, UnsafeMutablePointer<UInt8>?) -> Int32
  package typealias ByteCallback =
    @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int
  package typealias Prerequisite =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32
    ) -> Int32
  package typealias SocketCallback =
    @convention(c) (UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t

  /// Sets a function that takes or gives bytes.
  package mutating func setCallback(
    _ option: CURLoption,
    _ dataOption: CURLoption,
    _ data: UnsafeMutableRawPointer,
    _ callback: ByteCallback
  ) {
    unsafe set(dataOption, pointer: data)
    note(unsafe acct_curl_set_callback(curl.functions, easy, option, callback))
  }

  /// Sets the function that decides whether a request may use its connection.
  package mutating func setPrerequisite(_ data: UnsafeMutableRawPointer, _ callback: Prerequisite) {
    unsafe set(CURLOPT_PREREQDATA, pointer: data)
    note(unsafe acct_curl_set_prerequisite(curl.functions, easy, callback))
  }

  /// Sets the function that opens sockets.
  package mutating func setOpenSocket(_ data: UnsafeMutableRawPointer, _ callback: SocketCallback) {
    unsafe set(CURLOPT_OPENSOCKETDATA, pointer: data)
    note(unsafe acct_curl_set_open_socket(curl.functions, easy, callback))
  }
}

/// libcurl's report about a request that failed.
///
/// libcurl's own words are read only where a code says too little, and are never passed on.
@safe package struct HandleReport {
  package let code: CURLcode
  private let curl: CurlTable
  private let easy: UnsafeMutableRawPointer
  private let memory: LentMemory

  /// - Parameters:
  ///   - code: libcurl's result.
  ///   - curl: The library.
  ///   - easy: The request's handle, which has to last as long as the report.
  ///   - memory: The memory that was lent to the handle.
  package init(_ code: CURLcode, _ curl: CurlTable, _ easy: UnsafeMutableRawPointer, _ memory: LentMemory) {
    self.code = code
    self.curl = curl
    unsafe self.easy = easy
    self.memory = memory
  }

  package func number(_ info: CURLINFO) -> Int { unsafe acct_curl_get_long(curl.functions, easy, info) }

  /// `true` if libcurl's words about the failure contain one of these.
  package func says(_ words: String...) -> Bool {
    let said = memory.errorText
    return words.contains { said.contains($0) }
  }

  /// `true` if the server answered the TLS handshake in another protocol.
  package var saysNoTLS: Bool { says("wrong version number", "packet length too long", "record layer failure") }

  /// `true` if the server has only versions of TLS that are too old.
  package var saysOldTLS: Bool { says("protocol version", "unsupported protocol") }

  /// The reason not to trust the server's certificate: X509_V_ERR_…, of OpenSSL's x509_vfy.h.
  package var distrust: String {
    switch number(CURLINFO_SSL_VERIFYRESULT) {
    case 9: "the certificate is not valid yet by this machine's clock"
    case 10: "the certificate has expired, by this machine's clock"
    case 0, 62, 64: "the certificate is for another host"
    case 2, 18, 19, 20, 21, 27: "the certificate is self-signed, or its issuer is not trusted"
    default: "the certificate is not trusted"
    }
  }

  /// The reason why no connection could be made.
  package var unreachable: String {
    let number = Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO))
    return switch number {
    case ECONNREFUSED: "the connection was refused"
    case ENETUNREACH: "the network is unreachable"
    case EHOSTUNREACH: "there is no route to the host"
    case EACCES, EPERM: "the system does not permit the connection"
    case ETIMEDOUT, 0: Self.noAnswer
    default: "system error \(number)"
    }
  }

  package static let noAnswer = "there was no answer"
}

/// A header line of a request, as libcurl takes it: without its end.
package struct HeaderLine: Sendable {
  private let name: String
  private let value: Secret?

  /// Without a value it is a field that libcurl would add by itself, and that is not to be sent.
  package init(_ name: String, _ value: Secret?) {
    self.name = name
    self.value = value
  }

  /// The number of bytes.
  var count: Int {
    guard let value, value.count > 0 else { return name.utf8.count + 1 }
    return name.utf8.count + 2 + value.count
  }

  /// Writes the bytes to the beginning of `room`.
  func write(to room: UnsafeMutableRawBufferPointer) {
    var rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[name.utf8.count...])
    unsafe room.copyBytes(from: name.utf8)
    guard let value, value.count > 0 else {
      // A name alone suppresses a field, and a semicolon is libcurl's way to write one without a value.
      unsafe rest[0] = UInt8(ascii: value == nil ? ":" : ";")
      return
    }
    unsafe rest.copyBytes(from: ": ".utf8)
    unsafe rest = UnsafeMutableRawBufferPointer(rebasing: rest[2...])
    value.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe rest.copyMemory(from: $0) } }
  }
}

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
