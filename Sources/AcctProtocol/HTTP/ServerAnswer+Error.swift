import StrictJSON

/// The error in an answer, where RFC 6749 has it (section 5.2) and where other servers do.
extension ServerAnswer {
  /// `true` for an answer with an error code where it belongs, whatever its status: GitHub answers errors with 200.
  package var isError: Bool { text("error")?.isEmpty == false }

  /// The code of the error, cut to a length that can be stored.
  package var errorCode: String? {
    let found = isError ? text("error") : first(of: Self.nestedCodes, else: Self.codes)
    return found.map { String($0.prefix(200)) }
  }

  /// The server's description of the error, in a sentence.
  var description: String? {
    text("error_description")
      ?? first(of: isError ? [] : Self.nestedDescriptions, else: Self.descriptions).map { String($0.prefix(300)) }
  }

  private static let codes = ["errorCode", "error_code", "errorType", "code"]
  private static let nestedCodes = ["error", "errorType", "errorCode", "code", "type"]
  private static let descriptions = ["errorSummary", "error_message", "message", "msg", "detail"]
  private static let nestedDescriptions = ["error_description", "message", "description", "detail", "title"]

  /// A text of the object in `error`, or of the first in `errors`, else of the answer itself.
  private func first(of nested: [String], else names: [String]) -> String? {
    let errors = [object?["error"]?.objectValue, object?["errors"]?.arrayValue?.first?.objectValue].compactMap(\.self)
    for (object, names) in errors.map({ ($0, nested) }) + [(object, names)] {
      for name in names {
        if let text = object?[name]?.stringValue, !text.isEmpty { return shown(text) }
      }
    }
    return nil
  }
}
