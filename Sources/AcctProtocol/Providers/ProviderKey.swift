package import AcctModel
import StrictJSON
import Text

/// The description of keys by a provider of kind `key`.
package struct ProviderKey: Sendable {
  /// The field and form in which a key is sent.
  package let sentAs: StaticHeader
  /// The environment variables in which programs look for a key, the usual one first.
  package let variables: [String]
  /// The beginnings of its keys, as far as they are documented: a key may begin otherwise.
  package let prefixes: [String]
}

/// The members of a file of kind `key`.
extension ProviderMembers {
  /// The part of the scheme `Basic` that a key is.
  private enum BasicPart: String, CaseIterable { case user, password }

  func key() throws(ProviderFlaw) -> ProviderKey {
    let variables = try list("environment") ?? []
    guard variables.allSatisfy(\.isVariableName) else { throw ProviderFlaw(path(of: "environment"), .malformed) }
    let prefixes = try list("prefixes") ?? []
    guard prefixes.allSatisfy({ $0.utf8.allSatisfy(\.isVisibleASCII) }) else {
      throw ProviderFlaw(path(of: "prefixes"), .malformed)
    }
    return ProviderKey(sentAs: try sentAs(), variables: variables, prefixes: prefixes)
  }

  /// The page where a person makes and revokes a key.
  func keyPage() throws(ProviderFlaw) -> ProviderAddress? {
    guard let text = try string("page") else { return nil }
    do { return try ProviderAddress(text, isPage: true) } catch { throw ProviderFlaw(path(of: "page"), error) }
  }

  /// Checks a text, or several, for the reader of the file alone.
  func checkComment() throws(ProviderFlaw) {
    if value("comment")?.stringValue == nil { _ = try list("comment") } else { _ = try string("comment") }
  }

  private func sentAs() throws(ProviderFlaw) -> StaticHeader {
    guard let value = value("send") else { throw ProviderFlaw(path(of: "send"), .missing) }
    if let word = value.stringValue {
      guard word == "bearer" else { throw ProviderFlaw(path(of: "send"), .notOneOf(["bearer"])) }
      return .bearer
    }
    // A member decides which others there may be.
    let form = ["basic", "query"].first { value.objectValue?[$0] != nil }
    let others = form == "basic" ? ["basic", "user"] : form.map { [$0] } ?? ["header", "prefix"]
    guard let send = try members("send", known: others) else { throw ProviderFlaw(path(of: "send"), .missing) }
    return switch form {
    case "basic": try send.basic()
    case "query": try send.query()
    default: try send.field()
    }
  }

  private func basic() throws(ProviderFlaw) -> StaticHeader {
    let part: BasicPart? = try choice("basic")
    let user = try string("user")
    switch (part, user) {
    case (.user?, nil): return try header("Authorization", .userIsToken(password: ""), at: "basic")
    case (.user?, _): throw ProviderFlaw(path(of: "user"), .unknownMember)
    case (.password?, let user?): return try header("Authorization", .basic(user: user), at: "user")
    case (.password?, nil): throw ProviderFlaw(path(of: "user"), .missing)
    case (nil, _): throw ProviderFlaw(path(of: "basic"), .missing)
    }
  }

  private func field() throws(ProviderFlaw) -> StaticHeader {
    guard let field = try string("header") else { throw ProviderFlaw(path(of: "header"), .missing) }
    let bare = try header(field, .bare, at: "header")
    guard let prefix = try string("prefix") else { return bare }
    // The space behind a scheme is a part of the prefix, as everything else between the colon and the key.
    guard prefix.hasSuffix(" ") || prefix.hasSuffix("=") else { throw ProviderFlaw(path(of: "prefix"), .malformed) }
    return try header(field, .scheme(prefix.hasSuffix(" ") ? String(prefix.dropLast()) : prefix), at: "prefix")
  }

  private func query() throws(ProviderFlaw) -> StaticHeader {
    guard let name = try string("query") else { throw ProviderFlaw(path(of: "query"), .missing) }
    return try header(name, .query, at: "query")
  }

  private func header(_ field: String, _ form: StaticHeader.Form, at name: String) throws(ProviderFlaw) -> StaticHeader
  {
    do { return try StaticHeader(field: field, form: form) } catch { throw ProviderFlaw(path(of: name), .malformed) }
  }
}
