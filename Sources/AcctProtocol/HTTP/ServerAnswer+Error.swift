import StrictJSON

/// The error in an answer, where RFC 6749 has it (section 5.2) and where other servers do.
extension ServerAnswer {
  /// `true` for an answer with an error code where it belongs, whatever its status: GitHub answers errors with 200.
  package var isError: Bool { text("error")?.isEmpty == false }

  /// The code of the error, cut to a length that can be stored; of a refusal without one, its description.
  package var errorCode: String? {
    (code ?? (isSuccess ? nil : reason)).map { String($0.prefix(200)) }
  }

  /// The server's description of the error, in a sentence; `nil` where that stands for the code.
  var description: String? { code == nil ? nil : reason.map { String($0.prefix(300)) } }

  /// `true` if it describes its error, and has no code.
  var hasDescriptionAlone: Bool { code == nil && reason != nil }

  private var code: String? {
    guard !isError else { return text("error") }
    return first(of: Self.nestedCodes, else: isSuccess ? Self.codes : Self.codesOfRefusals)
  }

  private var reason: String? {
    let standard = text("error_description")
    guard standard?.isEmpty ?? true else { return standard }
    return isError
      ? first(of: [], else: Self.descriptions + ["reason"])
      : first(of: Self.nestedDescriptions, else: Self.descriptions)
  }

  private static let codes = ["errorCode", "error_code", "errorType", "code"]
  /// The last is a word of success in other answers.
  private static let codesOfRefusals = codes + ["status"]
  private static let nestedCodes = ["error", "errorType", "errorCode", "code", "type", "status"]
  private static let descriptions = [
    "errorSummary", "errorMessage", "error_message", "message", "msg", "detail",
  ]
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
