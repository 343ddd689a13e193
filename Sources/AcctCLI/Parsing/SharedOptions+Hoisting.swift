extension [String] {
  /// The same command line with the options that all commands share behind the command.
  ///
  /// `acct --json list` means `acct list --json`: ArgumentParser knows options only behind the
  /// command that has them, and people type them in either place.
  var hoistingSharedOptions: [String] {
    var rest = self[...]
    var leading: [String] = []
    while let word = rest.first, let count = Self.sharedOptions[word.optionName] {
      let isJoined = word.contains("=")
      guard rest.count >= count else { break }
      leading += rest.prefix(isJoined ? 1 : count)
      rest = rest.dropFirst(isJoined ? 1 : count)
    }
    guard !leading.isEmpty, !rest.isEmpty else { return self }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return rest[..<end] + leading + rest[end...]
  }

  /// How many words each shared option takes, itself included.
  private static let sharedOptions = [
    "--account": 2, "-a": 2, "--timeout": 2, "--json": 1, "--quiet": 1, "-q": 1, "--verbose": 1,
    "-v": 1, "--no-input": 1, "--no-color": 1,
  ]
}

extension String {
  fileprivate var optionName: String { hasPrefix("--") ? String(prefix { $0 != "=" }) : self }
}
