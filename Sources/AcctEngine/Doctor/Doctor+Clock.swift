import AcctModel
import AcctPorts

extension Doctor {
  /// In seconds: proofs are valid for minutes, so a smaller error does no harm.
  private static let tolerance: Int64 = 60

  /// Whether the clock agrees with those of the accounts' servers.
  ///
  /// Each is asked for its front page's header alone, without anything about the user.
  func clock(timeout: Int) async -> [Finding] {
    // The check of accounts reports a failure to list accounts.
    guard let accounts = try? accountStore.listing().accounts else { return [] }
    let resolver = IdentityResolver(world, DPoPClient(world, timeout: timeout))
    var servers: [Origin: Reach] = [:]
    for account in accounts {
      for (origin, naming) in [
        (account.identity.issuer?.url.origin, resolver.naming(ofIssuerOf: account)),
        (account.service, resolver.naming(ofServiceOf: account)),
      ] {
        guard let origin else { continue }
        let reach = naming.reach(to: origin)
        // What one account may ask is of no use to the others' servers.
        servers[origin] = servers[origin] == .anywhere ? .anywhere : reach
      }
    }
    let questions = servers
    let findings = await withTaskGroup(of: (Origin, Finding).self) { group in
      for (origin, reach) in questions {
        group.addTask { (origin, await finding(origin, reach, timeout)) }
      }
      var findings: [(Origin, Finding)] = []
      for await finding in group { findings.append(finding) }
      return findings
    }
    return findings.sorted { $0.0.description < $1.0.description }.map(\.1)
  }

  private func finding(_ origin: Origin, _ reach: Reach, _ timeout: Int) async -> Finding {
    guard reach.permits(origin) else { return Finding(.noTime(origin, .inside(host: origin.host))) }
    guard let url = try? HTTPURL("\(origin)/") else { return Finding(.noTime(origin, nil)) }
    let request = HTTPRequest(method: "HEAD", url: url, timeout: timeout, reach: reach)
    let response: HTTPResponse
    do { response = try await world.transport.send(request) } catch {
      return Finding(.noTime(origin, error))
    }
    guard let date = response.field("Date").flatMap({ HTTPDate.parse($0) }) else {
      return Finding(.noTime(origin, nil))
    }
    let difference = date.seconds(since: world.clock.now())
    guard abs(difference) > Self.tolerance else { return Finding(.clockRight(origin)) }
    return Finding(.clockOff(seconds: difference, origin))
  }
}
