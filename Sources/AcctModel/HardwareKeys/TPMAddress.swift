/// The address of a TPM 2.0, as `--key tpm:` and `ACCT_TPM` give it.
package enum TPMAddress: Hashable, Sendable {
  /// A character device with a resource manager, or the path of a Unix socket.
  case path(String)
  /// A software TPM that takes bare commands on a TCP port.
  case swtpm(host: String, port: UInt16)

  /// The kernel's TPM, with the kernel's resource manager.
  package static let standard = TPMAddress.path("/dev/tpmrm0")

  private static let softwarePrefix = "swtpm:"

  /// Parses an absolute path, or `swtpm:host=H,port=N`; the host is 127.0.0.1 where none is named.
  package init(_ text: String) throws(ParseError) {
    guard text.hasPrefix(Self.softwarePrefix) else {
      guard text.hasPrefix("/"), !text.utf8.contains(0) else { throw .tpmAddress }
      self = .path(text)
      return
    }
    var host = "127.0.0.1"
    var port: UInt16?
    for part in text.dropFirst(Self.softwarePrefix.count).split(separator: ",", omittingEmptySubsequences: false) {
      if part.hasPrefix("host="), part.utf8.count > 5 {
        host = String(part.dropFirst(5))
      } else if part.hasPrefix("port="), let number = UInt16(part.dropFirst(5)), number > 0 {
        port = number
      } else {
        throw .tpmAddress
      }
    }
    guard let port else { throw .tpmAddress }
    self = .swtpm(host: host, port: port)
  }

  /// The text that ``init(_:)`` parses.
  package var description: String {
    switch self {
    case .path(let path): path
    case .swtpm(let host, let port): "\(Self.softwarePrefix)host=\(host),port=\(port)"
    }
  }
}
