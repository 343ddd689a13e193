import AcctEngine
import AcctModel
import AcctPorts
import AcctConsole

extension Doctor {
  /// A server whose time is compared with the clock.
  private struct Server {
    var reach: Reach
    /// The largest error, in seconds, that does no harm: tokens live for minutes, and some servers accept a proof for
    /// seconds.
    var tolerance: Int64
  }

  /// Checks that the clock agrees with those of the accounts' servers.
  ///
  /// Each server gets a HEAD request for its front page, and no data about the user.
  func clock() async -> [Finding] {
    // The check of accounts reports a failure to list them.
    guard let accounts = try? accountStore.listing().accounts else { return [] }
    let resolver = IdentityResolver(context)
    var servers: [Origin: Server] = [:]
    for account in accounts {
      for (origin, naming) in [
        (account.identity.issuer?.url.origin, resolver.naming(ofIssuerOf: account)),
        (account.service, resolver.naming(ofServiceOf: account)),
      ] {
        guard let origin else { continue }
        let tolerance: Int64 = account.thumbprint == nil ? 60 : 10
        var server = Server(reach: naming.reach(to: origin), tolerance: tolerance)
        // The wider reach and the stricter proof count, if several accounts have one server.
        if let known = servers[origin] {
          if known.reach == .anywhere { server.reach = .anywhere }
          server.tolerance = min(server.tolerance, known.tolerance)
        }
        servers[origin] = server
      }
    }
    let questions = servers
    let answers = await withTaskGroup(of: Answer.self) { group in
      for (origin, server) in questions { group.addTask { Answer(origin, await finding(origin, server)) } }
      var answers: [Answer] = []
      for await answer in group { answers.append(answer) }
      return answers
    }
    return answers.sorted { $0.origin.description < $1.origin.description }.map(\.finding)
  }

  /// The finding about a server's clock; an object for the reason that `ExecVariables` has for its own.
  private final class Answer: Sendable {
    let origin: Origin
    let finding: Finding

    init(_ origin: Origin, _ finding: Finding) {
      self.origin = origin
      self.finding = finding
    }
  }

  private func finding(_ origin: Origin, _ server: Server) async -> Finding {
    let reach = server.reach
    guard reach.permits(origin) else { return noTime(origin, .inside(host: origin.host)) }
    guard let url = try? HTTPURL("\(origin)/") else { return noTime(origin) }
    let request = HTTPRequest(method: "HEAD", url: url, timeout: context.timeout, reach: reach)
    let response: HTTPResponse
    do { response = try await context.world.transport.send(request) } catch { return noTime(origin, error) }
    guard let date = response.field("Date").flatMap({ HTTPDate.parse($0) }) else { return noTime(origin) }
    let difference = date.seconds(since: context.world.clock.now())
    guard abs(difference) >= server.tolerance else {
      return Finding(.ok, "clock", "the clock agrees with that of \(origin)")
    }
    return Finding(
      .problem,
      "clockOff",
      "the clock is \(duration(abs(difference))) \(difference > 0 ? "behind" : "ahead of") that of \(origin)",
      fix: "set the clock, or let it be set: `timedatectl set-ntp true`"
    )
  }

  private func noTime(_ origin: Origin, _ failure: HTTPFailure? = nil) -> Finding {
    let reason = failure.map { ": \(ErrorMessage(.network(.http($0, origin))).text)" } ?? ""
    return Finding(.warning, "noTime", "\(origin) does not report its time\(reason)")
  }
}
