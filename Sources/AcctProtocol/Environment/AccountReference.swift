package import AcctModel
package import Secrets
import Text

/// `acct://NAME` in the place of a secret, as a value of a `.env` file.
package struct AccountReference: Equatable, Sendable, CustomStringConvertible {
  /// The account's name, handle, DID or id; may be empty, and then names none.
  package let account: String
  package let part: Part

  /// The part of an account that takes the place of the reference.
  package enum Part: String, Sendable, CaseIterable {
    case token = ""
    case user = "/user"
    /// The value of the header line.
    case header = "/header"
  }

  private static let scheme = "acct://"

  /// Reads a value; `nil` for one that is no reference.
  package init?(_ value: Secret) {
    // Long values are not references, and most are secrets.
    guard value.count <= 512, value.withBytes({ $0.starts(0..<$0.count, with: "acct://") }), let text = value.plainText
    else { return nil }
    let name = text.dropFirst(Self.scheme.count)
    part = Part.allCases.last { name.hasSuffix($0.rawValue) } ?? .token
    account = String(name.dropLast(part.rawValue.count))
  }

  /// The reference to an account's token, which needs no quotation marks and no escapes: by its id where its name would.
  package init(to account: Account) {
    let name = account.name.description
    let isPlain = name.utf8.allSatisfy { $0.isUnreserved || "@:+".utf8.contains($0) }
    self.account = isPlain ? name : account.id.description
    part = .token
  }

  package var description: String { "\(Self.scheme)\(account)\(part.rawValue)" }
}
