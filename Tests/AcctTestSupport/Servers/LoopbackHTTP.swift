import Dispatch
import Glibc

/// One HTTP request to a server of the tests' own: as little of HTTP as that needs, and none of the
/// code that is under test.
struct LoopbackHTTP: Sendable {
  let port: UInt16

  /// Makes a request, and returns the body of the answer.
  ///
  /// - Throws: ``HarnessFailure`` if the answer is not 200.
  func send(_ method: String, _ path: String, _ body: [UInt8] = []) async throws -> [UInt8] {
    // A thread of its own: some requests wait for something that other tasks must bring about.
    let answer = await withCheckedContinuation { continuation in
      DispatchQueue(label: "acct.tests.http").async { continuation.resume(returning: exchange(method, path, body)) }
    }
    guard let answer, let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw HarnessFailure("\(method) \(path): no answer")
    }
    let content = Array(answer[end.upperBound...])
    guard answer.starts(with: Array("HTTP/1.1 200 ".utf8)) else {
      throw HarnessFailure("\(method) \(path): \(String(decoding: content, as: UTF8.self))")
    }
    return content
  }

  private func exchange(_ method: String, _ path: String, _ body: [UInt8]) -> [UInt8]? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard connectToLoopback(descriptor, port) else { return nil }
    let lines = [
      "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close", "Content-Length: \(body.count)",
    ]
    let request = Array(lines.map { "\($0)\r\n" }.joined().utf8) + Array("\r\n".utf8) + body
    guard unsafe write(descriptor, request, request.count) == request.count else { return nil }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? answer : nil }
      answer += buffer[..<count]
    }
  }
}

private func connectToLoopback(_ descriptor: Int32, _ port: UInt16) -> Bool {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
