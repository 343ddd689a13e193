import AcctTestSupport

/// Static tokens made up for tests.
enum StaticTokens {
  static let origin = "https://api.example"
  static let token = "made-up-static-token"
}

extension RecordedWorld {
  /// Adds a static token from a file; its output stays in the record.
  @discardableResult
  func addToken(
    _ contents: String = "\(StaticTokens.token)\n",
    at origin: String = StaticTokens.origin,
    _ options: String...
  ) async -> Int32 {
    secretFiles["token"] = contents
    clear()
    return await run(["add", "--token", "token", "--allow-origin", origin] + options)
  }
}
