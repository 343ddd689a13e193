package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
package import ArgumentParser
import Secrets

/// Serves a local signing proxy until a signal stops it.
package struct ProxyCommand: AcctCommand {
  package static var takesDocument: Bool { true }

  package static let configuration = CommandConfiguration(
    commandName: "proxy",
    abstract: "Serve unchanged clients: add this account's headers to their requests.",
    discussion: """
      Prints where it listens, then serves until Ctrl-C. The server is the one that a request's \
      Host names, if it is one of the account's, or with --all of any account's:

        acct proxy &
        curl --unix-socket "$XDG_RUNTIME_DIR/acct/proxy" http://pds.example/xrpc/…

      Every user of the machine can connect to a port, so the path begins with a secret of the \
      run: `curl -H 'Host: pds.example' http://127.0.0.1:PORT/SECRET/xrpc/…`. Without such a Host, \
      a request goes to the account's only origin, or to that of --to.
      """
  )

  @Option(help: ArgumentHelp("The path of the socket.", valueName: "path"))
  var socket: String?

  @Option(help: ArgumentHelp("A port of 127.0.0.1 instead; 0 is a free one.", valueName: "number"))
  var port: Int?

  @Flag(help: "Serve every account: the Host of a request selects it.")
  var all = false

  @Option(help: ArgumentHelp("With --port: send every request to this origin of the account.", valueName: "origin"))
  var to: String?

  @Option(
    help: ArgumentHelp("Use the account of this document alone, and keep nothing; - is stdin.", valueName: "file")
  )
  package var credentials: String?

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func validate() throws {
    guard !all || options.account == nil else {
      throw ValidationError("--all means every account: leave out --account")
    }
    guard !all || to == nil else { throw ValidationError("--all and --to exclude each other: --to is for one account") }
    guard to == nil || port != nil else {
      throw ValidationError("--to needs --port: on a socket the Host is the server's")
    }
    guard socket == nil || port == nil else { throw ValidationError("--socket and --port exclude each other") }
    if let port, !(0...65535).contains(port) { throw ValidationError("--port is a number from 0 to 65535") }
  }

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let world = context.world
    let place = port.map { LocalPlace.port($0 == 0 ? nil : $0) } ?? .socket(path: socket)
    let targets = try await targets(context)
    // Before anything secret is made, and before there is a second thread.
    let protection = ProxyFence.begin(at: place, for: targets.accounts, in: context.engine)
    if let obstacle = protection.obstacle {
      context.notice("this proxy can open all your files: \(words(for: obstacle))")
    }
    // Each request is answered without a person; a PIN is asked for while one is there.
    if context.interaction == .allowed, world.terminal.canAsk() {
      try await UnlockHardwareKeys(context.engine).unlock(targets.accounts)
    }
    let secret = port == nil ? nil : SigningProxy.newSecret(world.entropy)
    var engine = context.engine
    engine.program = "proxy"
    let proxy = SigningProxy(engine, for: targets, secret: secret, restsSecrets: protection.hidesSecrets)

    context.waits?.silence()
    // Watched before the address is printed: Ctrl-C may be the answer to it.
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let watch = world.signals.watch { end.finish() }
    defer { watch.release() }
    let serving: Serving
    do {
      serving = try await world.localServer.serve(place) { request in
        await proxy.answer(request) { error in context.notice("\(request.method): \(ErrorMessage(error).text)") }
      }
    } catch {
      throw .signIn(.listen(error))
    }
    do throws(EngineError) {
      try context.output(.whole { () throws(OutputFlaw) in try line(serving.place, secret) })
    } catch {
      await serving.stop()
      throw error
    }
    for await _ in ends {}
    await serving.stop()
    await proxy.end()
    return .done
  }

  private func targets(_ context: Context) async throws(EngineError) -> ProxyTargets {
    guard all else {
      let origin: Origin?
      do { origin = try to.map { text throws(ParseError) in try Origin(text) } } catch {
        throw .input(.malformed(error))
      }
      let account = try await context.choose().account
      guard let origin else { return ProxyTargets(of: account) }
      return try ProxyTargets(of: account, to: origin)
    }
    let listing = try AccountOverview(context.engine).listing()
    for text in ErrorMessage.notices(of: context.engine.skipped(listing.damaged)) {
      context.notice("not served: \(text)")
    }
    return try ProxyTargets(of: listing.accounts)
  }

  /// The address for clients, alone on a line.
  private func line(_ place: LocalPlace, _ secret: Secret?) throws(OutputFlaw) -> Secret {
    switch place {
    case .socket(let path): Secret("\(try OutputFormat.line.written(path ?? ""))\n")
    case .port(let port):
      Secret(joining: [Secret("http://127.0.0.1:\(port ?? 0)/"), secret ?? Secret(""), Secret("/\n")])
    }
  }
}

/// The words of the proxy's own answer; `nil` for a request that could not be made.
func words(for refusal: ProxyRefusal?) -> String {
  switch refusal {
  case .secretMissing: "the path does not begin with the secret of this run"
  case .fromPage: "requests of web pages are not passed on"
  case .foreignHost: "the proxy does not serve this Host"
  case .malformed: "this request can't be passed on"
  case .tunnel: "there is no tunnel here: nothing in it could be signed"
  case .upgrade: "other protocols, such as WebSocket, are not passed on"
  case nil: "acct could not make this request; its own output says why"
  }
}
