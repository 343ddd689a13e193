package import AcctModel
import StrictJSON

/// What an answer to a refresh means for the session; the one place that may call it dead.
package enum TokenOutcome: Sendable {
  case granted(TokenResponse)
  /// The server's own `invalid_grant`: the session is over.
  case ended(description: String?)
  /// 429; seconds, if the server says when.
  case limited(retryAfter: String?)
  /// 5xx, with its `Retry-After` as it came.
  case serverFailed(status: Int, retryAfter: String?)
  /// Anything else: the credential stays.
  case failed(OAuthError)

  /// Classifies an answer.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - contentType: The media type, parameters and all.
  ///   - retryAfter: The field's value.
  ///   - location: The field's value.
  ///   - body: The body.
  ///   - key: The thumbprint of the key that signed the request's proof, if there was one.
  package init(
    status: Int,
    contentType: String?,
    retryAfter: String? = nil,
    location: String? = nil,
    body: Secret,
    boundTo key: String?
  ) {
    let json: JSON? =
      contentType.isJSON
      ? body.withBytes { span in try? JSON(parsing: span) } : nil
    switch status {
    case 200:
      guard let json else {
        self = .failed(.notJSON(status: status))
        return
      }
      do { self = .granted(try TokenResponse(json, boundTo: key)) } catch { self = .failed(error) }
    case 300..<400: self = .failed(.redirected(to: location))
    case 429: self = .limited(retryAfter: retryAfter)
    case 500...: self = .serverFailed(status: status, retryAfter: retryAfter)
    default:
      guard let error = json?.objectValue, let code = error["error"]?.stringValue else {
        self = .failed(.unexplained(status: status))
        return
      }
      let description = error["error_description"]?.stringValue
      self =
        code == "invalid_grant"
        ? .ended(description: description)
        : .failed(.refused(code: code, description: description, status: status))
    }
  }
}

extension String? {
  /// Whether it is the media type of JSON, with or without parameters.
  package var isJSON: Bool {
    let type = self?.split(separator: ";").first?.lowercased() ?? ""
    let essence = type.split(separator: " ").first ?? ""
    return essence == "application/json"
  }
}
