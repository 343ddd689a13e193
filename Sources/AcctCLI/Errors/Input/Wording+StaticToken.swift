import AcctEngine
import AcctModel

/// The command that stores a new token for a static account, as it is typed.
func command(for replacement: TokenReplacement) -> String {
  let name = shellWord(replacement.account.description)
  let origins = replacement.origins.map { shellWord($0.description) }
  let allowed = (origins.isEmpty ? ["ORIGIN"] : origins).flatMap { ["--allow-origin", $0] }
  // A new token is no reason to act as another account than before.
  let words = ["acct", "add", "--token", "FILE", "--name", name, "--no-switch"] + allowed
  return (words + options(for: replacement.sentAs)).joined(separator: " ")
}

/// What to do about a static token that is of no use any more.
func remedy(for replacement: TokenReplacement) -> String { "`\(command(for: replacement))` stores a new one" }

/// The options that say how a token is sent; none for the default.
private func options(for header: StaticHeader) -> [String] {
  let isAuthorization = header.field.lowercased() == "authorization"
  let field = isAuthorization ? [] : ["--header", shellWord(header.field)]
  switch header.form {
  case .basic(let user): return ["--basic", shellWord(user)]
  case .bare: return field + (isAuthorization ? ["--scheme", "none"] : [])
  case .scheme("Bearer") where isAuthorization: return []
  case .scheme(let scheme): return field + ["--scheme", shellWord(scheme)]
  }
}
