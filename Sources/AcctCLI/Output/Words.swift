import AcctEngine

/// What the user should know although the command succeeded.
func words(for notice: Notice) -> String {
  switch notice {
  case .usedUnrenewed(let account, let seconds):
    "the token of \(account) could not be renewed; it is used for the \(duration(seconds)) it has left"
  }
}
