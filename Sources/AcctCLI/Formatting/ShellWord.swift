/// A word as a shell reads it back: in single quotes where it has more than plain characters.
func shellWord(_ word: String) -> String {
  let isPlain = word.utf8.allSatisfy { byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "@%+=:,./-_".utf8.contains(byte)
    }
  }
  guard word.isEmpty || !isPlain else { return word }
  return "'\(word.replacing("'", with: "'\\''"))'"
}
