import AcctModel
import Secrets
import AcctPorts
import LiveHTTP
import Testing

extension HTTPTransport {
  /// The live transport with an environment of the test's own.
  static func live(_ environment: [String: String] = [:], userAgent: String? = nil) -> HTTPTransport {
    .live(userAgent: userAgent) { environment[$0] }
  }

  /// Sends a request and returns why there is no response; records an issue if there is one.
  func failure(of request: HTTPRequest) async -> HTTPFailure? {
    do throws(HTTPFailure) {
      let response = try await send(request)
      Issue.record("there was a response: \(response.status) \(response.text)")
      return nil
    } catch { return error }
  }
}

extension HTTPRequest {
  /// A GET with a deadline that no passing test reaches.
  static func get(_ url: String, timeout: Int = 30, bodyLimit: Int = 1 << 20) throws -> HTTPRequest {
    try HTTPRequest(method: "GET", url: HTTPURL(url), timeout: timeout, bodyLimit: bodyLimit)
  }
}

extension HTTPResponse {
  var text: String { body.text }
}

extension Secret {
  var text: String { withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) } }
}

extension ScriptedServer {
  var url: String { "http://127.0.0.1:\(port)" }
}

/// A whole response that ends by its length.
func ok(_ body: String, _ fields: String...) -> ScriptedServer.Step {
  let lines = fields.map { "\($0)\r\n" }.joined()
  return .send("HTTP/1.1 200 OK\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
}
