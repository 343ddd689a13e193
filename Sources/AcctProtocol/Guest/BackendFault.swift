package import AcctModel
package import StrictJSON

/// A backend's error: `{"error": {"code", "message"}}`.
package struct BackendFault: Equatable, Sendable {
  package let code: String?
  package let message: String?

  /// Reads a body; also `{"error": "words"}` and `{"message": "words"}`, which are seen.
  ///
  /// - Parameters:
  ///   - json: The body, if it is JSON at all.
  ///   - redactor: Takes secrets out of what it says.
  package init(_ json: JSON?, redacting redactor: Redactor) {
    let object = json?.objectValue
    let error = object?["error"]
    let message =
      error?.objectValue?["message"]?.stringValue ?? error?.stringValue
      ?? object?["message"]?.stringValue
    code = (error?.objectValue?["code"]?.stringValue).map(redactor.redact)
    // It goes into one line on a terminal.
    self.message = message.map { String(redactor.redact($0).prefix(300)) }
  }

  /// Whether the request lacked `X-Device-ID`, to a 400.
  package var namesDeviceID: Bool { message?.lowercased().contains("x-device-id") ?? false }
}
