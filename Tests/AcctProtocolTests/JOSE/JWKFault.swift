import AcctProtocol
import StrictJSON
import Testing
import AcctModel

/// One thing that is wrong with the key of RFC 7515, A.3, and what it is called.
struct JWKFault: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Members to set, or by `nil` to leave out.
  let changes: [String: JSON?]
  let error: JWKError

  private init(_ name: String, _ changes: [String: JSON?], _ error: JWKError) {
    (testDescription, self.changes, self.error) = (name, changes, error)
  }

  static let all = points + scalars + kinds + members + encodings

  private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
  private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
  private static let zero = String(repeating: "A", count: 43)
  private static let order = "_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE"

  private static let points = [
    JWKFault("x and y swapped", ["x": .string(y), "y": .string(x)], .coordinatesSwapped),
    JWKFault("x altered", ["x": .string("g" + x.dropFirst())], .coordinateMismatch(.x)),
    JWKFault("y altered", ["y": .string("y" + y.dropFirst())], .coordinateMismatch(.y)),
    JWKFault("x in place of y", ["y": .string(x)], .coordinateMismatch(.y)),
    JWKFault("y in place of x", ["x": .string(y)], .coordinateMismatch(.x)),
    JWKFault("x and y zero", ["x": .string(zero), "y": .string(zero)], .coordinateMismatch(.x)),
  ]

  private static let scalars = [
    JWKFault("d = 0", ["d": .string(zero)], .scalarIsZero),
    JWKFault("d = n", ["d": .string(order)], .scalarTooLarge),
    JWKFault("d = n + 1", ["d": .string(order.dropLast() + "I")], .scalarTooLarge),
    JWKFault("d = 2^256 - 1", ["d": .string(String(repeating: "_", count: 42) + "8")], .scalarTooLarge),
    JWKFault("d of another key", ["d": "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"], .coordinateMismatch(.x)),
    // The point of n - d has the same x, and the other y.
    JWKFault("n - d", ["d": "cWTvYI5vZ0Fn-3gg4KKIFfG9mj7oRXhJlGIIrxzeMJ8"], .coordinateMismatch(.y)),
  ]

  private static let kinds = [
    JWKFault("another kind of key", ["kty": "OKP"], .unsupportedKeyType),
    JWKFault("a kind in lower case", ["kty": "ec"], .unsupportedKeyType),
    JWKFault("another curve", ["crv": "secp256k1"], .unsupportedCurve),
    JWKFault("a larger curve", ["crv": "P-384"], .unsupportedCurve),
    JWKFault("another algorithm", ["alg": "ES256K"], .unsupportedAlgorithm),
    JWKFault("another use", ["use": "enc"], .unsupportedUse),
    JWKFault("alg is a number", ["alg": 1], .notAString(.alg)),
    JWKFault("use is null", ["use": .some(.null)], .notAString(.use)),
  ]

  private static let members = [JWKError.Member.kty, .crv, .x, .y, .d].flatMap { member in
    [JWKFault("no \(member)", [member.rawValue: nil], .missing(member))]
      + ([1, .null, ["x"], true] as [JSON]).map { value in
        JWKFault("\(member) is \(value)", [member.rawValue: value], .notAString(member))
      }
  }

  private static let encodings = [JWKError.Member.x, .y, .d].flatMap(encodings(of:))

  private static func encodings(of member: JWKError.Member) -> [JWKFault] {
    let cut = String(zero.dropLast())
    let faults: [(String, JWKError)] = [
      ("", .wrongLength(member, 0, startsWithZero: false)),
      (cut, .wrongLength(member, 31, startsWithZero: true)),
      ("A\(zero)", .wrongLength(member, 33, startsWithZero: true)),
      ("AAAA\(zero)", .wrongLength(member, 35, startsWithZero: true)),
      ("\(zero)=", .notBase64URL(member, .padding)),
      ("\(cut)B", .notBase64URL(member, .strayBits)),
      ("\(cut)+", .notBase64URL(member, .character)),
      ("\(zero)\n", .notBase64URL(member, .character)),
      ("\(zero)AA", .notBase64URL(member, .length)),
    ]
    return faults.map { text, error in JWKFault("\(member) is '\(text)'", [member.rawValue: .string(text)], error) }
  }
}
