package import AcctEngine
package import AcctModel
package import AcctPorts
import AcctProtocol
package import StrictJSON

extension ErrorMessage {
  /// This message with the command that signs in again before the rest of the hint.
  ///
  /// - Parameter account: The account that the command was for; `nil` if none was chosen.
  /// - Returns: The message as it is told.
  package func naming(_ account: AccountName?) -> ErrorMessage {
    guard needsLogin, let account else { return self }
    var named = self
    named.hint = [loginHint(account), hint].compactMap(\.self).joined(separator: "; ")
    named.needsLogin = false
    return named
  }

  /// This message about the account of a document, which no later command has: its hint is about the document.
  package var aboutDocument: ErrorMessage {
    var told = self
    switch code {
    case "originRefused", "noAccount": told.hint = "the document's \"origins\" are where its headers may go"
    default:
      guard needsLogin || hint?.contains("`acct login") == true else { return self }
      told.hint = "the document needs another token"
      told.needsLogin = false
    }
    return told
  }

  /// This message with the time at which to try again before the rest of the hint.
  package func timed(by clock: Clock) -> ErrorMessage {
    guard let retryAfter, let words = words(for: retryAfter, by: clock) else { return self }
    var timed = self
    timed.hint = [words, hint].compactMap(\.self).joined(separator: "; ")
    timed.retryAfter = nil
    return timed
  }

  /// Takes ArgumentParser's message about the command line.
  package init(usage message: String) {
    let lines = (message.hasPrefix("Error: ") ? message.dropFirst(7) : message[...]).split(separator: "\n")
    var text = lines.first.map(String.init) ?? "this is not a valid command line"
    if text.hasSuffix(".") { text.removeLast() }
    // One sentence, as everywhere. A long list has a line for each value.
    if text.hasSuffix(Self.longList) {
      let values = lines.dropFirst().filter { $0.hasPrefix(Self.bullet) }
      text.removeLast(Self.longList.count)
      text += "; " + Self.closedList(values.map { String($0.dropFirst(Self.bullet.count)) })
    }
    text = text.replacing(". Please provide one of ", with: "; it is one of ")
    self = .code("usage", .usage)
      .saying(text.prefix(1).lowercased() + text.dropFirst())
      .hint("run `acct --help`")
  }

  private static let longList = ". Please provide one of the following:"
  private static let bullet = "  - "

  /// The values that may stand somewhere, as ArgumentParser writes them where they are few.
  package static func closedList(_ values: [String]) -> String {
    let quoted = values.map { "'\($0)'" }
    let list = quoted.dropLast().joined(separator: ", ")
    return "it is one of \(list) or \(quoted.last ?? "")"
  }

  /// The cryptographic library did not do its work.
  package static let cryptoFailed = ErrorMessage.code("cryptoFailed", .failed)
    .saying("OpenSSL failed; it may have run out of memory")

  /// The JSON for standard error.
  package var json: JSON { .object(envelope(["error": errorObject])) }

  /// The `error` object of the contract.
  package var errorObject: JSON {
    [
      "code": .string(code),
      "message": .string(text),
      "hint": hint.map(JSON.string) ?? .null,
      "exit": .number(JSONNumber(Int64(status.rawValue))),
    ]
  }

  /// Translates a failure into the user's words; each subject has a file.
  package init(_ error: EngineError) {
    switch error {
    case .selection(let error): self.init(error)
    case .authorization(let error): self.init(error)
    case .input(let error): self.init(error)
    case .keyring(let error): self.init(error)
    case .key(let error): self.init(error)
    case .inputToken(let error): self.init(error)
    case .network(let error): self.init(error)
    case .server(let error): self.init(error)
    case .signIn(let error): self.init(error)
    case .atproto(let error): self.init(error)
    case .provider(let error): self.init(error)
    case .transfer(let error): self.init(error)
    case .files(let error): self.init(error)
    case .told(let told): self = told.message
    case .cancelled: self = .code("cancelled", .cancelled).saying("cancelled")
    }
  }

  /// A program that acct runs gave no result.
  package init(_ failure: ProgramFailure) {
    switch failure {
    case .unusable(.notFound(let program)):
      self = .code("programFailed", .failed).saying("\(printable(program)) is not installed")
    case .unusable(.notExecutable(let program, let reason)):
      self = .code("programFailed", .failed).saying("\(printable(program)) can't be run: \(reason)")
    case .timedOut(let program):
      self = .code("programFailed", .failed)
        .saying("\(printable(program)) did not end in time")
    case .tooLong(let program):
      self = .code("programFailed", .failed)
        .saying("\(printable(program)) printed too much")
    case .cancelled: self = .code("cancelled", .cancelled).saying("cancelled")
    }
  }
}
