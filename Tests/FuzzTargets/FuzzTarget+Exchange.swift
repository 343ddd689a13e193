import AcctModel
import AcctProtocol
import Secrets
import StrictJSON

/// The answer to an exchange of tokens (RFC 8693, section 2.2).
func exchangeAnswerViolation(_ bytes: [UInt8]) -> String? {
  let answer = ServerAnswer(status: 200, contentType: "application/json", body: Secret(bytes), redacting: .none)
  guard case .granted(let response) = TokenOutcome(answer, boundTo: nil) else { return nil }
  let members = (try? JSON(parsing: bytes))?.objectValue
  // Slack's answers lie one deeper.
  guard members?["access_token"] != nil else { return nil }
  let issued = members?["issued_token_type"]?.stringValue.flatMap { try? TokenTypeURI($0) }
  guard issued != .refreshToken else { return "a refresh token in the place of an access token" }
  // Blanks around it are not looked at.
  let type = (members?["token_type"]?.stringValue ?? "").unicodeScalars.filter { !$0.properties.isWhitespace }
  let isNoBearer = issued?.mayBeBearer == false || String(String.UnicodeScalarView(type)).lowercased() == "n_a"
  return isNoBearer == (response.tokenType == .none) ? nil : "a token that is sent, or kept, as another one than issued"
}

/// The line of a program that prints a token.
func programLineViolation(_ bytes: [UInt8]) -> String? {
  guard let line = try? ProgramLine(text(bytes)) else { return nil }
  guard !line.program.isEmpty, !line.words.contains(where: { $0.utf8.contains(0) }) else {
    return "words that no program can be run with"
  }
  let quoted = line.words.map {
    "'\($0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }
  .joined(separator: " ")
  guard quoted.utf8.count <= ProgramLine.limit else { return nil }
  return (try? ProgramLine(quoted)) == line ? nil : "a line that reads otherwise when quoted"
}

/// The description of a sign-in that a job brings.
func signInDescriptionViolation(_ bytes: [UInt8]) -> String? {
  guard let json = try? JSON(parsing: bytes), let description = try? SignInDescription(json) else { return nil }
  guard (description.issuer == nil) != (description.provider == nil) else { return "no server, or two" }
  switch description.grant {
  case .tokenExchange:
    guard (description.grantFile == nil) != (description.grantProgram == nil), description.subjectType != nil else {
      return "an exchange without one subject token"
    }
  case .jwtBearer: guard description.grantFile != nil else { return "no assertion" }
  case .clientCredentials: guard description.clientAssertionFile != nil else { return "no client's assertion" }
  case .authorizationCode: return "a sign-in that needs a person"
  }
  return SignInDescription.isLikely(json) ? nil : "a description that is taken for credentials"
}
