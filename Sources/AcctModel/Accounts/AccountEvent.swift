/// An event in the life of an account: what, when, on which machine, and for which program or origin.
///
/// It has no secret, and of a URL the origin alone.
package struct AccountEvent: Hashable, Sendable {
  /// In the order of events of one second.
  package enum Kind: String, CaseIterable, Sendable {
    case added, signedIn, renewed
    /// The server rejected a renewal.
    case renewalRefused
    /// acct did not send the credential to an origin that is not the account's.
    case refused
    case allowed, exported, moved, removed
  }

  package let time: Timestamp
  package let kind: Kind
  /// The name of the machine; `nil` if it is not known.
  package let machine: String?
  /// The program that acct answered; `nil` for a command of a person or a script.
  package let program: String?
  package let origin: Origin?

  /// - Parameters:
  ///   - kind: The event.
  ///   - time: Its time.
  ///   - machine: The machine's name; characters that no host name has are left out, and what exceeds 64.
  ///   - program: The name of a helper's protocol, or `proxy`.
  ///   - origin: The origin that was refused or allowed.
  package init(_ kind: Kind, at time: Timestamp, on machine: String?, for program: String?, _ origin: Origin? = nil) {
    self.kind = kind
    self.time = time
    self.machine = Self.word(machine)
    self.program = Self.word(program)
    self.origin = origin
  }

  /// Parses one event of a history.
  ///
  /// - Returns: `nil` for anything that ``text`` does not write.
  init?(_ text: Substring) {
    let fields = text.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 5, let seconds = Int64(fields[0]), String(seconds) == fields[0],
      let time = Timestamp(secondsSince1970: seconds), let kind = Kind(rawValue: String(fields[1]))
    else { return nil }
    func word(_ field: Substring) -> String? { field == "-" ? nil : String(field) }
    self.init(kind, at: time, on: word(fields[2]), for: word(fields[3]), word(fields[4]).flatMap { try? Origin($0) })
    guard self.text == text else { return nil }
  }

  /// The form in a history: five words, `-` for one that is missing.
  var text: String {
    "\(time.secondsSince1970) \(kind.rawValue) \(machine ?? "-") \(program ?? "-") \(origin?.description ?? "-")"
  }

  private static func word(_ text: String?) -> String? {
    let kept = (text ?? "").utf8.filter { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    let word = String(decoding: kept.prefix(64), as: UTF8.self)
    return word.isEmpty || word == "-" ? nil : word
  }
}
