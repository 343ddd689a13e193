import AcctPorts

/// A passphrase that acct makes: 125 random bits, in letters and digits that are not mistaken for each other.
struct StrongPassphrase {
  /// As it is shown and entered: `k7m2p-…`, five groups of five.
  let text: String

  init(_ entropy: Entropy) {
    let letters = entropy.bytes(25).map { Self.alphabet[Int($0) % Self.alphabet.count] }
    text = stride(from: 0, to: letters.count, by: 5)
      .map { String(letters[$0..<$0 + 5]) }
      .joined(separator: "-")
  }

  /// 32 of them, so that each byte's remainder is as likely as any other; without i, l, o and u, as Crockford's.
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
}
