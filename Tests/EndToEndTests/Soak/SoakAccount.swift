import AcctTestSupport
import StrictJSON
import Testing

/// One of the accounts of a soak, and how to tell that its headers are its own.
struct SoakAccount: Sendable {
  enum Kind: Sendable { case oauth, session, guest }

  let id: String
  let kind: Kind
  /// The `sub` that its access tokens have, where they tell.
  let subject: String?
  /// What its headers are for.
  let url: String

  /// Whether header lines are those of this account and of no other.
  func owns(_ headers: String) -> Bool {
    switch kind {
    case .session: headers.hasPrefix("Cookie: sid=Fe26")
    case .guest: headers.hasPrefix("Authorization: Bearer ") && headers.contains("X-Device-ID: ")
    case .oauth: tokenSubject(in: headers) == subject
    }
  }
}

/// The `sub` of the first JWT in some text.
func tokenSubject(in text: String) -> String? {
  guard let start = text.firstRange(of: "eyJ") else { return nil }
  let parts = text[start.lowerBound...].split(separator: ".", maxSplits: 2)
  guard parts.count == 3 else { return nil }
  var bits: UInt32 = 0
  var count = 0
  var bytes: [UInt8] = []
  for character in parts[1].utf8 {
    guard let value = base64URL.firstIndex(of: character) else { return nil }
    bits = bits << 6 | UInt32(value)
    count += 6
    if count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
  }
  return try? JSON(parsing: bytes).objectValue?["sub"]?.stringValue
}

private let base64URL = Array(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
)
