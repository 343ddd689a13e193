package import AcctModel
package import Secrets
package import AcctPorts
package import AcctProtocol
package import StrictJSON

extension HTTPResponse {
  /// The body as JSON, whatever its media type is.
  package var json: JSON? { body.withBytes { span in try? JSON(parsing: span) } }
}

extension ServerAnswer {
  package convenience init(_ response: HTTPResponse, redacting redactor: Redactor) {
    self.init(
      status: response.status,
      contentType: response.field("Content-Type"),
      retryAfter: response.field("Retry-After"),
      date: response.field("Date"),
      location: response.field("Location"),
      body: response.body,
      redacting: redactor
    )
  }
}

extension EngineError {
  /// The error for a response that does not answer the request.
  package init(_ noAnswer: NoAnswer, _ origin: Origin) {
    self =
      switch noAnswer {
      case .limited(let retryAfter): .server(.rateLimited(retryAfter: retryAfter, origin))
      case .serverFailed(let status, let retryAfter): .server(.failed(status: status, retryAfter: retryAfter, origin))
      case .failed(let error): .server(.oauth(error, origin))
      }
  }
}
