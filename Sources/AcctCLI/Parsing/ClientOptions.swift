import AcctEngine
import AcctModel
import AcctProtocol
import ArgumentParser

extension ClientAuthentication: ExpressibleByArgument {}

/// The options for a server that needs more of its client than an identifier.
struct ClientOptions: ParsableArguments {
  /// A grant that needs no person.
  enum DirectGrant: String, ExpressibleByArgument, CaseIterable {
    case clientCredentials = "client-credentials"
    case jwtBearer = "jwt-bearer"

    var grant: Grant {
      switch self {
      case .clientCredentials: .clientCredentials
      case .jwtBearer: .jwtBearer
      }
    }
  }

  @Option(help: ArgumentHelp("Read the client's secret from your own file; - is stdin.", valueName: "file"))
  var clientSecretFile: String?

  @Option(help: "How the client authenticates itself; by the metadata if not given.")
  var clientAuth: ClientAuthentication?

  @Option(
    help: ArgumentHelp(
      "Read the client's private key from your own file: PEM, a JWK, or a service account's.",
      valueName: "file"
    )
  )
  var clientKey: String?

  @Option(help: "Sign in without a person; each renewal requests the same again.")
  var grant: DirectGrant?

  @Option(name: .customLong("authorize-url"), help: ArgumentHelp("The authorization endpoint.", valueName: "url"))
  var authorizeURL: String?

  @Option(
    name: .customLong("token-url"),
    help: ArgumentHelp("The token endpoint; without --issuer, in place of metadata.", valueName: "url")
  )
  var tokenURL: String?

  @Option(name: .customLong("device-url"), help: ArgumentHelp("The device authorization endpoint.", valueName: "url"))
  var deviceURL: String?

  @Option(name: .customLong("revoke-url"), help: ArgumentHelp("The revocation endpoint.", valueName: "url"))
  var revokeURL: String?

  @Option(name: .customLong("userinfo-url"), help: ArgumentHelp("The userinfo endpoint.", valueName: "url"))
  var userinfoURL: String?

  @Option(help: ArgumentHelp("One more parameter of the authorization request.", valueName: "name=value"))
  var param: [String] = []

  @Option(help: ArgumentHelp("One more parameter of each token request.", valueName: "name=value"))
  var tokenParam: [String] = []

  @Option(
    name: .customLong("redirect-uri"),
    help: ArgumentHelp("The redirect address on this machine as it is registered.", valueName: "uri")
  )
  var redirectURI: String?

  @Flag(name: .customLong("no-dpop"), help: "Request bearer tokens, even of a server with DPoP.")
  var noDPoP = false

  /// `true` if a server is named without its issuer: by its token endpoint, or in a service account's file.
  var namesServer: Bool { tokenURL != nil || grant == .jwtBearer && clientKey != nil }

  /// `true` if any option is given that only a sign-in at an OAuth server has.
  var isUsed: Bool {
    let texts = [clientSecretFile, clientKey, authorizeURL, tokenURL, deviceURL, revokeURL, userinfoURL, redirectURI]
    return texts.contains { $0 != nil } || !param.isEmpty || !tokenParam.isEmpty || noDPoP
      || clientAuth != nil || grant != nil
  }

  func validate() throws {
    guard clientSecretFile != "-" || clientKey != "-" else {
      throw ValidationError("only one of --client-secret-file and --client-key can be stdin")
    }
    guard
      grant == nil || redirectURI == nil && authorizeURL == nil && deviceURL == nil && param.isEmpty
    else {
      throw ValidationError(
        "--grant needs no browser: --redirect-uri, --authorize-url, --device-url and --param don't go with it"
      )
    }
    for option in [("--param", param), ("--token-param", tokenParam)] {
      var names: Set<String> = []
      for text in option.1 {
        do {
          let name = try RequestParameter(text).name
          guard names.insert(name).inserted else { throw ValidationError("\(option.0) gives \(name) twice") }
        } catch let error as ParseError {
          throw ValidationError("\(option.0): \(ErrorMessage(error).text)")
        }
      }
    }
  }
}
