import AcctTestSupport

extension RecordedWorld {
  /// Runs `acct helper` with a question on standard input; its output is in the record.
  @discardableResult
  func helper(_ question: String, _ arguments: String...) async -> Int32 {
    provide("-", question)
    clear()
    return await run(["helper"] + arguments)
  }

  /// Asks as git does.
  @discardableResult
  func git(_ attributes: String..., operation: String = "get", as account: String? = nil) async -> Int32 {
    provide("-", attributes.map { "\($0)\n" }.joined() + "\n")
    clear()
    return await run(["helper", "git", operation] + (account.map { ["--account", $0] } ?? []))
  }

  /// Asks as docker does.
  @discardableResult
  func docker(_ operation: String, _ question: String = "") async -> Int32 {
    await helper(question, "docker", operation)
  }
}
