import AcctProtocol
import Secrets

/// A `.env` file: its places lie one behind the other, and a value that is changed to a reference and back leaves the bytes
/// that were there.
func envFileViolation(_ bytes: [UInt8]) -> String? {
  let contents = Secret(bytes)
  guard let entries = try? EnvFile(parsing: contents).entries else { return nil }
  var end = 0
  for entry in entries {
    guard end <= entry.place.lowerBound, entry.place.upperBound <= bytes.count else { return "places that overlap" }
    guard !entry.variable.isEmpty, !entry.variable.utf8.contains(UInt8(ascii: "=")) else { return "no name" }
    guard entry.value.count <= entry.place.count else { return "a value that is longer than its place" }
    end = entry.place.upperBound
  }
  // Nothing is put in the place of an empty value, which may stand right before a comment.
  let full = entries.filter { $0.value.count > 0 }
  let references = full.map { ($0.place, bytes: Secret("acct://a")) }
  let rewritten = EnvFile.replacing(references, in: contents)
  guard let again = try? EnvFile(parsing: rewritten).entries.filter({ $0.value.count > 0 }),
    again.map(\.variable) == full.map(\.variable), again.allSatisfy({ AccountReference($0.value)?.account == "a" })
  else { return "references that are not read again" }
  let values = zip(full, again).map { entry, changed in
    let written = entry.escapes(in: contents).map { EnvFile.written(entry.value, escaping: $0) }
    return (changed.place, bytes: written ?? Secret(bytes[entry.place]))
  }
  return EnvFile.replacing(values, in: rewritten) == contents ? nil : "other bytes than before"
}
