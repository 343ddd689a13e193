package import AcctPorts
import CLinux
import Dispatch
import Text

extension DNS {
  /// The system's resolver, or the one that `ACCT_DNS_SERVER` names.
  ///
  /// - Parameter variable: Returns an environment variable.
  /// - Returns: The port; nothing is asked yet.
  package static func live(variable: @escaping @Sendable (_ name: String) -> String?) -> DNS {
    DNS { name, seconds throws(DNSFailure) in
      let server = try variable("ACCT_DNS_SERVER").map { text throws(DNSFailure) in try Server(text) }
      // The resolver blocks, so it runs on a thread of its own.
      let answer: [UInt8]? = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: query(name, at: server, seconds: seconds)) }
      }
      guard let answer else { throw .noAnswer }
      return answer
    }
  }
}

/// A resolver by address; a name would need another resolver.
private struct Server: Sendable {
  let address: String
  let port: UInt16

  init(_ text: String) throws(DNSFailure) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let port = parts.count == 2 ? UInt16(parts[1]) : 53,
      parts[0].split(separator: ".").count == 4, parts[0].utf8.allSatisfy({ $0.isASCIIDigit || $0 == 0x2E })
    else {
      guard text.hasPrefix("localhost:"), let port = UInt16(text.dropFirst(10)) else { throw .badServer(text) }
      self.address = "127.0.0.1"
      self.port = port
      return
    }
    address = String(parts[0])
    self.port = port
  }
}

private func query(_ name: String, at server: Server?, seconds: Int) -> [UInt8]? {
  var answer = [UInt8](repeating: 0, count: 65_535)
  let (address, port, limit) = (server?.address, server?.port ?? 0, Int32(clamping: seconds))
  let received = unsafe acct_query_txt(name, address, port, limit, &answer, Int32(answer.count))
  return received < 0 ? nil : Array(answer.prefix(Int(received)))
}
