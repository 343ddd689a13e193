import AcctEngine
import AcctModel
import ArgumentParser

/// A token that has no sign-in, and how it is sent.
struct StaticTokenOptions: ParsableArguments {
  @Option(
    name: .customLong("token"),
    help: ArgumentHelp("Add a token or an API key that a file of your own contains; - is stdin.", valueName: "file")
  )
  var file: String?

  @Option(help: ArgumentHelp("The header that contains the token; Authorization by default.", valueName: "name"))
  var header: String?

  @Option(
    help: ArgumentHelp("The word before the token; Bearer by default; none sends the token alone.", valueName: "scheme")
  )
  var scheme: String?

  @Option(help: ArgumentHelp("Send the token as the password of this user (Basic).", valueName: "user"))
  var basic: String?

  @Option(help: ArgumentHelp("Send the token in the URL's query, as this parameter.", valueName: "name"))
  var query: String?

  @Option(help: ArgumentHelp("When the token ends: a date or a time.", valueName: "time"))
  var expires: String?

  /// `true` if an option says how the token is sent.
  var namesForm: Bool { [header, scheme, basic, query].contains { $0 != nil } }

  func validate() throws {
    guard file != nil || !namesForm && expires == nil else {
      throw ValidationError("--header, --scheme, --basic, --query and --expires need --token")
    }
    guard basic == nil || header == nil && scheme == nil else {
      throw ValidationError("--basic excludes --header and --scheme")
    }
    guard query == nil || header == nil && scheme == nil && basic == nil else {
      throw ValidationError("--query excludes --header, --scheme and --basic")
    }
  }

  /// The options, checked; nothing is read yet.
  ///
  /// - Parameters:
  ///   - file: The value of `--token`.
  ///   - origins: The origins that the token may be sent to.
  /// - Returns: The source of the token, and the form in which it is sent.
  /// - Throws: ``InputError/staticToken(_:)``.
  func request(_ file: String, _ origins: [Place]) throws(EngineError) -> AddStaticToken.Request {
    let field = query ?? header ?? "Authorization"
    let form: StaticHeader.Form =
      if query != nil {
        .query
      } else if let basic {
        .basic(user: basic)
      } else if let scheme {
        scheme == "none" ? .bare : .scheme(scheme)
      } else {
        // A header of its own for a key has no scheme, wherever that is used.
        field.lowercased() == "authorization" ? .scheme("Bearer") : .bare
      }
    do {
      return AddStaticToken.Request(
        file: file,
        sentAs: try StaticHeader(field: field, form: form),
        expiry: expires,
        origins: origins
      )
    } catch {
      throw .input(.staticToken(.header(error)))
    }
  }
}
