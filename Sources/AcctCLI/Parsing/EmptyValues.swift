import AcctConsole
import AcctEngine

extension [String] {
  /// Rejects an empty word, as the shell makes it of a variable that is not set: acct would take it for none, and act for
  /// another account or for all of them.
  ///
  /// - Throws: ``InputError/emptyValue(option:)``.
  func requireValues() throws(EngineError) {
    // The words behind -- are another program's.
    let own = self[..<(firstIndex(of: "--") ?? endIndex)]
    for (index, word) in own.enumerated() {
      let before = word.isEmpty && index > 0 ? own[index - 1] : String(word.prefix { $0 != "=" })
      guard word.isEmpty || word.hasPrefix("--") && word.utf8.count == before.utf8.count + 1 else { continue }
      let option = before.hasPrefix("-") ? before : nil
      guard !mayBeEmpty(option) else { continue }
      throw .input(.emptyValue(option: option))
    }
  }

  /// `true` for what an empty value says something of.
  private func mayBeEmpty(_ option: String?) -> Bool {
    switch (first, option) {
    // What a program asks is not the user's to mend.
    case ("helper", nil): true
    case ("request", "--data"), ("request", "-d"), ("add", "--scope"), ("login", "--scope"), ("add", "--basic"): true
    default: false
    }
  }
}
