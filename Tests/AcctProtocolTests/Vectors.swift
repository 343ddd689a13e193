import Foundation
import StrictJSON
import Testing

/// One of the RFCs' examples, by the RFC's number and section.
func example(_ name: String) throws -> JSONObject {
  let file = Bundle.module.bundleURL.appending(path: "Vectors/rfc.json")
  let json = try JSON(parsing: Array(try Data(contentsOf: file)))
  return try #require(json.objectValue?[name]?.objectValue)
}

extension JSONObject {
  /// A member that must be a string.
  func text(_ name: String) throws -> String { try #require(self[name]?.stringValue) }
}

/// Reads JSON that stands in a test.
func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }
