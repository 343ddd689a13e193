import AcctEngine
import AcctModel

/// The command that stores a new token for a static account, as it is typed.
func command(for replacement: TokenReplacement) -> String {
  let name = shellWord(replacement.account.description)
  let origin = replacement.origin?.description ?? "ORIGIN"
  let options = options(for: replacement.sentAs).joined(separator: " ")
  return "acct add --token FILE --name \(name) --allow-origin \(origin)"
    + (options.isEmpty ? "" : " \(options)")
}

/// What to do about a static token that is of no use any more.
func remedy(for replacement: TokenReplacement) -> String {
  "`\(command(for: replacement))` stores a new one"
}

/// The options that say how a token is sent; none for the default.
private func options(for header: StaticHeader) -> [String] {
  let isAuthorization = header.field.lowercased() == "authorization"
  let field = isAuthorization ? [] : ["--header", header.field]
  switch header.form {
  case .basic(let user): return ["--basic", shellWord(user)]
  case .bare: return field + (isAuthorization ? ["--scheme", "none"] : [])
  case .scheme("Bearer") where isAuthorization: return []
  case .scheme(let scheme): return field + ["--scheme", scheme]
  }
}
