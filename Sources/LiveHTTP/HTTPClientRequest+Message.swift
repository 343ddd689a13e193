import AcctModel
import AcctPorts
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension HTTPClientRequest {
  /// Writes a request as AsyncHTTPClient wants it.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` for a method, a name or a value that would not
  ///   stay within its place on the wire (RFC 9110, sections 5.1, 5.5 and 9.1).
  init(_ request: HTTPRequest) throws(HTTPFailure) {
    guard isToken(request.method) else { throw .unsendable(reason: "the method is not a token") }
    let url = request.url
    self.init(url: "\(url.origin)/")
    method = HTTPMethod(rawValue: request.method)
    for (name, value) in request.fields {
      guard isToken(name) else {
        throw .unsendable(reason: "a header field's name is not a token")
      }
      guard let text = fieldValue(value) else {
        throw .unsendable(reason: "the value of \(name) has characters that no header may have")
      }
      headers.add(name: name, value: text)
    }
    headers.replaceOrAdd(name: "Host", value: url.origin.authority)
    headers.replaceOrAdd(
      name: RequestTarget.field,
      value: url.query.map { "\(url.path)?\($0)" } ?? url.path
    )
    if let content = request.body {
      body = .bytes(content.withBytes { ByteBuffer(bytes: $0) })
    }
  }
}

private func isToken(_ text: String) -> Bool {
  !text.isEmpty
    && text.utf8.allSatisfy {
      switch $0 {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
    }
}

/// The value as text, unless it has control characters or is not UTF-8.
private func fieldValue(_ secret: Secret) -> String? {
  secret.withBytes { bytes in
    for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F {
      guard bytes[index] == 0x09 else { return nil }
    }
    guard let text = try? UTF8Span(validating: bytes) else { return nil }
    return String(copying: text)
  }
}

extension ByteBuffer {
  fileprivate init(bytes span: Span<UInt8>) {
    self.init()
    reserveCapacity(span.count)
    for index in span.indices { writeInteger(span[index]) }
  }
}
