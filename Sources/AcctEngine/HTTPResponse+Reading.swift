import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

extension HTTPResponse {
  /// The body as JSON, whatever its media type says.
  var json: JSON? { body.withBytes { span in try? JSON(parsing: span) } }
}

extension TokenOutcome {
  /// Classifies a response.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - key: The thumbprint of the key that signed the request's proof, if there was one.
  init(_ response: HTTPResponse, boundTo key: String? = nil) {
    self.init(
      status: response.status,
      contentType: response.field("Content-Type"),
      retryAfter: response.field("Retry-After"),
      location: response.field("Location"),
      body: response.body,
      boundTo: key
    )
  }
}
