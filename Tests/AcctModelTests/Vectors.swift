import Foundation

/// The example lines of a vector file, exact to their spaces.
func vectorLines(_ name: String) throws -> [String] {
  let file = Bundle.module.bundleURL.appending(path: "Vectors/\(name)")
  return try String(contentsOf: file, encoding: .utf8)
    .split(separator: "\n")
    .filter { !$0.hasPrefix("#") }
    .map(String.init)
}
