import AcctEngine
import AcctModel
import AcctProtocol
import StrictJSON

extension ErrorMessage {
  /// A server that is known by name can't be used, or has no client.
  init(_ error: ProviderError) {
    switch error {
    case .unknown(let name, let known):
      let hint = didYouMean(suggested(for: name, of: known)).map { "\($0) " } ?? ""
      self = .code("unknownProvider", .usage)
        .saying("there is no provider \(printable(name))")
        .hint(hint + "`acct providers` lists them; a handle has a dot")
    case .file(let path, let flaw):
      self = .code("badProvider", .badInput)
        .saying("\(path) can't be used: \(words(for: flaw))")
        .hint("`man acct-provider` describes the file")
    case .unreadable(let path, let reason):
      self = .code("providerUnreadable", .badInput)
        .saying("\(path) is not used: \(reason ?? "it is in use")")
        .hint("only you may own or write it")
    case .place(let flaw, let usage):
      self = .code("usage", .usage)
        .saying(words(for: flaw))
        .hint("it is typed acct add \(usage)")
    case .clientNeeded(let registration):
      self = .code("clientIDNeeded", .usage)
        .saying("\(registration.title ?? "the server") needs to know the client: --client-id is missing")
        .hint(registration.hint)
    case .secretNeeded(let registration):
      self = .code("clientSecretNeeded", .usage)
        .saying("\(registration.title ?? "the server") needs the client's secret, and none is known")
        .hint(
          "give it with --client-secret-file FILE (- is standard input); it is at "
            + (registration.place ?? "the page where the client is registered")
        )
    case .appPassword(let title, let place, let origin):
      self = .code("appPassword", .usage)
        .saying("\(title) has no sign-in for programs like acct: it has app passwords")
        .hint(
          "make one\(place.map { " at \($0)" } ?? ""); on a terminal `acct add` asks for it, elsewhere give "
            + "--token FILE --basic USER\(origin.map { " --allow-origin \($0)" } ?? "")"
        )
    case .notRegistered(let origin, let reason, let registration):
      self = .code("notRegistered", .serverFailed)
        .saying("\(origin) did not register acct as a client: it \(words(for: reason))")
        .hint(registration.hint)
    }
  }
}

extension ProviderError.Registration {
  /// The page to register a client at, the address to enter there, and the option for the client's identifier.
  fileprivate var hint: String {
    let device = usesDevice && typed != nil ? " and the device flow" : ""
    if let page {
      let device = usesDevice && typed != nil ? ", and allow the device flow there" : ""
      let command = typed.map { "`acct add \($0) --client-id ID`" } ?? "--client-id"
      return "register a client at \(page), whose fields are filled in\(device); give its id once, with \(command)"
    }
    let place = place.map { " at \($0)" } ?? ""
    let command = typed.map { "; once, `acct add \($0) --client-id ID`" } ?? "; give its id with --client-id"
    return "register a client\(place), with the redirect address \(redirect)\(device)\(command)"
  }
}

private func words(for flaw: ProviderFlaw) -> String {
  // A name that is not known may have any characters.
  let member = flaw.member.isEmpty ? "it" : printable(flaw.member)
  return switch flaw.problem {
  case .json(let error): words(for: error)
  case .unknownMember: "\(member) is no member of a provider"
  case .missing: "there is no \(member)"
  case .wrongType(.object): "\(member) is not an object"
  case .wrongType(.array): "\(member) is not an array"
  case .wrongType(.string): "\(member) is not a string"
  case .wrongType(.boolean): "\(member) is neither true nor false"
  case .notOneOf(let words): "\(member) is none of \(words.map { "\"\($0)\"" }.joined(separator: ", "))"
  case .tooLong(let limit): "\(member) is longer than \(limit)"
  case .unprintable: "\(member) has characters that do not show"
  case .malformed: "\(member) is malformed"
  case .refused(let refusal): "\(member): \(words(for: refusal))"
  case .foreignHost(let place): "\(member) is at another server, \(printable(place))"
  case .placeholder: "\(member) has braces where nothing can be put in"
  case .ownParameter: "\(member) is a parameter that acct sends itself"
  }
}

private func words(for flaw: ProviderPlace.Flaw) -> String {
  switch flaw {
  case .unwanted: "nothing stands behind the name of this provider"
  case .missing(let placeholders):
    "behind the name there is no "
      + ProviderAddress.Placeholder.allCases.filter(placeholders.contains).map(\.rawValue)
      .joined(separator: " and ")
  case .host(let text):
    text.contains("//")
      ? "a host stands behind the name, and no URL: \(printable(text))"
      : "not a host: \(printable(text))"
  case .name(let text): "not the name of a tenant or realm: \(printable(text))"
  }
}
