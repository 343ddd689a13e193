import AcctModel

/// A command line of acct's, to be copied into a shell.
func acctLine(_ words: [String]) -> String { (["acct"] + words).map(shellWord).joined(separator: " ") }

func acctLine(_ words: String...) -> String { acctLine(words) }

/// A word as a POSIX shell reads it: in single quotes, unless it has none but plain characters.
func shellWord(_ word: String) -> String {
  let isPlain =
    !word.isEmpty
    && word.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "%+,-./:=@_".utf8.contains(byte)
      }
    }
  // Control characters are escaped for the terminal: such a word can't be copied, and was never entered.
  return isPlain ? word : "'\(printable(word).replacing("'", with: "'\\''"))'"
}
