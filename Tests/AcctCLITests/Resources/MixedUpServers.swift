import AcctCLI
import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// An honest server, and one that sends the browser on to it in order to get its code (RFC 9700, section 4.4).
///
/// The honest one is strict: the client, the address that the client was registered with but for its port, the
/// verifier and the code's single use. Neither marks its answers with `iss`. The user's browser follows redirects, and
/// the user consents at the honest server.
final class MixedUpServers: Sendable {
  struct Settings {
    /// What the honest server knows: redirect addresses without their ports, by client.
    var redirects: [String: [String]] = [:]
    /// The client whose name the dishonest server uses.
    var usedClient = ""
    /// Where the dishonest server lets the code go; `nil` for the address that it was given.
    var usedRedirect: String?
    var codes: [String: String] = [:]
    /// Every address that the browser showed.
    var shown: [String] = []
    /// Where acct listens.
    var listening: LoopbackRedirect?
    var waiting: AsyncStream<Callback>.Continuation?
    /// What the honest server has granted, and to which server.
    var granted: [String] = []
  }

  static let honest = "https://honest.example"
  static let dishonest = "https://dishonest.example"
  static let resource = "https://mcp.example/mcp"

  let record = RecordedWorld()
  private let settings = Mutex(Settings())
  private let registersClients: Bool

  init(registersClients: Bool) {
    self.registersClients = registersClients
    record.serve { [self] request throws(HTTPFailure) in answer(request) }
  }

  func set(_ change: (inout Settings) -> Void) { settings.withLock { change(&$0) } }
  var shown: [String] { settings.withLock { $0.shown } }
  var granted: [String] { settings.withLock { $0.granted } }
  /// What the honest server has registered, by client.
  var redirects: [String: [String]] { settings.withLock { $0.redirects } }

  func acct(_ arguments: String...) async -> Int32 {
    record.clear()
    return await Acct.run(arguments, in: world, parsedBy: ParsedLines.parse)
  }

  // MARK: The servers

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    let form = RehearsedBrowser.parameters(of: "?" + RowServer.text(request.body))
    switch (request.url.origin.description, request.url.path) {
    case ("https://mcp.example", "/.well-known/oauth-protected-resource/mcp"):
      return .json(
        #"{"resource":"\#(Self.resource)","authorization_servers":["\#(Self.dishonest)"]}"#
      )
    case (let origin, RecordedServer.place) where [Self.honest, Self.dishonest].contains(origin):
      let registration = registersClients ? #","registration_endpoint":"\#(origin)/register""# : ""
      return .json(
        """
        {"issuer":"\(origin)","authorization_endpoint":"\(origin)/authorize",
         "token_endpoint":"\(origin)/token"\(registration)}
        """
      )
    case (Self.honest, "/register"): return registered("of-honest", request)
    case (Self.dishonest, "/register"):
      return .json(#"{"client_id":"of-dishonest","token_endpoint_auth_method":"none"}"#, 201)
    case (Self.honest, "/token"): return redeemed(form, by: "acct")
    // It redeems at the honest server what it is given.
    case (Self.dishonest, "/token"):
      var stolen = form
      settings.withLock { settings in
        stolen["client_id"] = settings.usedClient
        stolen["redirect_uri"] = settings.usedRedirect ?? form["redirect_uri"]
      }
      return redeemed(stolen, by: Self.dishonest)
    default: return .json(#"{"error":"not_found"}"#, 404)
    }
  }

  private func registered(_ id: String, _ request: HTTPRequest) -> HTTPResponse {
    let json = try? JSON(parsing: Array(RowServer.text(request.body).utf8))
    let addresses = json?.objectValue?["redirect_uris"]?.arrayValue?.compactMap(\.stringValue)
    set { $0.redirects[id] = (addresses ?? []).map(Self.withoutPort) }
    return .json(#"{"client_id":"\#(id)","token_endpoint_auth_method":"none"}"#, 201)
  }

  private func redeemed(_ form: [String: String], by server: String) -> HTTPResponse {
    let code = form["code"] ?? ""
    let challenge = settings.withLock { $0.codes.removeValue(forKey: code) }
    let verifier = Array((form["code_verifier"] ?? "").utf8)
    guard challenge == Base64URL.encode(SHA256.hash(verifier.span).span) else {
      return .json(#"{"error":"invalid_grant"}"#, 400)
    }
    set { $0.granted.append(server) }
    return .json(
      """
      {"access_token":"at-of-alice-made-up","token_type":"Bearer","expires_in":3600,"sub":"alice",
       "refresh_token":"rt-of-alice-made-up"}
      """
    )
  }

  // MARK: The browser

  private var world: World {
    var world = record.world()
    world.listener = CallbackListener { [self] redirect throws(ListenFailure) in
      let (callbacks, waiting) = AsyncStream.makeStream(of: Callback.self)
      set { settings in
        settings.listening = redirect
        settings.waiting = waiting
      }
      return Listening(
        port: redirect.port ?? RehearsedBrowser.freePort,
        next: {
          for await callback in callbacks { return callback }
          return nil
        },
        close: { waiting.finish() }
      )
    }
    world.browser = Browser { [self] address in
      open(address)
      return true
    }
    return world
  }

  /// Shows an address, and goes where its server sends the browser.
  private func open(_ address: String) {
    set { $0.shown.append(address) }
    let parameters = RehearsedBrowser.parameters(of: address)
    if address.hasPrefix("\(Self.dishonest)/authorize?") {
      var sent = parameters
      settings.withLock { settings in
        sent["client_id"] = settings.usedClient
        sent["redirect_uri"] = settings.usedRedirect ?? parameters["redirect_uri"]
      }
      let query = sent.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return open("\(Self.honest)/authorize?\(query.joined(separator: "&"))")
    }
    guard address.hasPrefix("\(Self.honest)/authorize?"), let state = parameters["state"],
      let redirect = parameters["redirect_uri"], let challenge = parameters["code_challenge"],
      settings.withLock({ settings in
        settings.redirects[parameters["client_id"] ?? ""]?.contains(Self.withoutPort(redirect)) ?? false
      })
    else {
      // An error page; the user gives up.
      record.interrupt()
      return
    }
    set { $0.codes["code-of-alice"] = challenge }
    come(to: redirect, "code=code-of-alice&state=\(state)")
  }

  /// Calls the listener, which knows one path; at any other the browser shows 404, and the user gives up.
  private func come(to redirect: String, _ query: String) {
    let (listening, waiting) = settings.withLock { ($0.listening, $0.waiting) }
    guard let listening, Self.withoutPort(redirect) == "http://127.0.0.1\(listening.path)" else {
      record.interrupt()
      return
    }
    waiting?.yield(Callback(query: Secret(query), caller: .ownUser) { _ in })
  }

  /// An address without its port, which servers ignore (RFC 8252, section 7.3).
  private static func withoutPort(_ address: String) -> String {
    guard let redirect = try? LoopbackRedirect(address) else { return address }
    return "http://\(redirect.host.rawValue)\(redirect.tail)"
  }
}
