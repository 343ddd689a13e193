import Release
import AcctEngine
import AcctModel
import Secrets
import AcctProtocol

/// A static token and how it is sent: the first line is the field, the second a scheme and a user, the
/// rest the file.
///
/// A password is sent in base64 alone, and stays what the file says.
func staticTokenViolation(_ bytes: [UInt8]) -> String? {
  let parts = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
  guard parts.count == 3 else { return nil }
  let (field, word) = (text(Array(parts[0])), text(Array(parts[1])))
  let contents = Secret(parts[2])
  let (token, password) = (try? TokenFile.token(in: contents), try? TokenFile.password(in: contents))
  if token != nil, password != token { return "a token that is another password" }
  let forms: [StaticHeader.Form] = [
    .bare, .scheme(word), .basic(user: word), .userIsToken(password: word), .userIsToken(password: nil), .query,
  ]
  for form in forms {
    guard let header = try? StaticHeader(field: field, form: form), let token = header.isBasic ? password : token
    else { continue }
    guard (try? Token(token.secret, sentAs: header)) == token else {
      return "a token that is none when it is read again"
    }
    guard header.field.isHTTPToken else { return "a field that could end its line" }
    let isInQuery = form == .query
    let isLine = sent(token, as: header)?.withBytes { span in
      span.indices.allSatisfy {
        (isInQuery ? 0x21...0x7E : 0x20...0x7E).contains(span[$0]) && !(isInQuery && "&#".utf8.contains(span[$0]))
      }
    }
    guard isLine == true else { return "a value that could write header lines" }
    guard StaticHeader(json: header.json) == header else { return "a form that reads otherwise when written" }
  }
  return nil
}

/// The value of the field in which an account sends it, or the parameter of the query.
private func sent(_ token: Token, as header: StaticHeader) -> Secret? {
  guard let name = try? AccountName("alice") else { return nil }
  let account = Account(
    id: AccountID(random: InlineArray(repeating: 1)),
    name: name,
    kind: .static,
    tokenType: .static,
    identity: Identity(subject: nil, issuer: nil, clientID: nil),
    source: .user,
    origins: OwnOrigins(),
    tokenLifetime: TokenLifetime(expiresAt: nil, canRenew: false),
    sentAs: header,
    createdAt: .epoch
  )
  let released = try? account.permitForEveryURL().release(AccountToken(token, of: account.id))
  return released?.openedQuery ?? released?.openedFields.first?.value
}
