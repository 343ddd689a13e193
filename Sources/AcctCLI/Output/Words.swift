import AcctEngine
import AcctProtocol
import StrictJSON

/// What the user should know although the command succeeded.
func words(for notice: Notice) -> String {
  switch notice {
  case .usedUnrenewed(let account, let seconds):
    "the token of \(account) could not be renewed; it is used for the \(duration(seconds)) it has left"
  }
}
func words(for error: JWKError) -> String { "" }
func words(for error: JWTError) -> String { "" }
func words(for error: JSONError) -> String { "" }
