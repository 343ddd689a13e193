package import AcctModel
package import Secrets
package import CLibCurl

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
