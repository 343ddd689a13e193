import AcctTestSupport
import Foundation
import Testing

/// Compares the output with its file in `Screens`.
///
/// `make screens` writes the files anew; review the difference, and commit it.
func expectScreen(_ shown: String, _ name: String, at location: SourceLocation = #_sourceLocation) throws {
  let path = Product.source("Tests/AcctCLITests/Screens/\(name).txt")
  if ProcessInfo.processInfo.environment["ACCT_WRITE_SCREENS"] != nil {
    try shown.write(toFile: path, atomically: true, encoding: .utf8)
  }
  let expected = try String(contentsOfFile: path, encoding: .utf8)
  #expect(shown == expected, "it is not what \(name).txt shows", sourceLocation: location)
}
