package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
package import ArgumentParser
import Release
import Secrets

/// Learns from a response that another program received: its nonce, its clock and its limits, and the session that a
/// backend has put in place of the old one.
struct Observe: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Reads response heads on standard input and learns from the last one.
  ///
  /// Whatever the input is, no credential is changed but a sealed session, and that only if its own backend confirms
  /// it. The other credentials are read if a limit has a name, which may repeat one of them.
  ///
  /// - Parameters:
  ///   - url: The URL of the request.
  ///   - account: The account whose credentials it carried.
  /// - Returns: Notices about the session.
  /// - Throws: ``AuthorizationError/originRefused(_:account:allowed:)``, ``InputError/stream(_:)``,
  ///   ``RequestError/nothingObserved``; the reason why a session could not be stored.
  func observe(_ url: HTTPURL, as account: Account) async throws(EngineError) -> [Notice] {
    let origin = url.origin
    do { try account.requireOwn(origin) } catch { throw .authorization(error) }
    let input: Secret
    do { input = try context.world.streams.input("-", Self.limit) } catch { throw .input(.stream(error)) }
    let bytes = input.withBytes { span in span.indices.map { span[$0] } }
    guard let head = PrintedHead.last(in: bytes) else { throw .request(.nothingObserved) }
    context.world.held.hold(cookiesIn: head.fields)
    let nonceCache = NonceCache(context.world)
    let codes = DPoPRefusal.codes(status: head.status ?? 0, headers: head.fields, body: [])
    nonceCache.learn(
      from: head.fields,
      of: origin,
      knowing: nonceCache.hint(for: origin),
      refusesProof: DPoPRefusal.refusesProof(codes)
    )
    await LimitsLedger(context.world)
      .learn(await limits(in: head.fields, of: origin, for: account), of: origin, for: account.id)
    let notice = try await context.backends?.observe(head, of: origin, for: account, context)
    return [notice].compactMap(\.self)
  }

  /// Reads the limits, without the account's secrets; if those can't be read without a person, without names.
  private func limits(
    in fields: [(name: String, value: String)],
    of origin: Origin,
    for account: Account
  ) async -> [RateLimit] {
    let ledger = LimitsLedger(context.world)
    var told = ledger.read(fields, of: origin)
    guard told.contains(where: { $0.name != nil }) else { return told }
    var context = context
    context.interaction = .forbidden
    do throws(EngineError) {
      try await CredentialStore(of: account, in: context).holdSecrets()
      return ledger.read(fields, of: origin)
    } catch {
      for index in told.indices { told[index].name = nil }
      return told
    }
  }

  /// The most bytes read: servers and curl allow far less for one head, but redirects bring several.
  private static let limit = 1 << 20
}

/// Learns from the answers that another program got.
package struct ObserveCommand: AcctCommand {
  package static let configuration = CommandConfiguration(
    commandName: "observe",
    abstract: "Read nonces and limits from a response's headers on standard input.",
    discussion: """
      The next header then uses the nonce that curl received:

        acct header URL | curl -H @- -D heads URL; acct observe URL <heads

      A sealed session that the backend has replaced is stored, once the backend confirms that it is \
      this account's.
      """
  )

  @Argument(help: "The URL that was requested.")
  var url: String

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let target: Destination
    do { target = try Destination(url) } catch { throw .input(.malformed(error)) }
    let account = try await context.choose(for: target).account
    let observer = Observe(context.engine)
    context.report(try await observer.observe(target.url, as: account))
    if options.json {
      let limits = LimitsLedger(context.world).limits(of: account.id)
      try context.output(limitsJSON(limits, of: account, at: context.world.clock.now()))
    }
    return .done
  }
}
