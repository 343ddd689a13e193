import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import AcctTestSupport
import Synchronization
import Testing

/// A browser in memory: the user signs in at each address that opens, and comes back with a code.
final class RehearsedBrowser: Sendable {
  private struct State {
    var addresses: [String] = []
    var ports: [Int] = []
    var waiting: AsyncStream<Callback>.Continuation?
    var refusal: String?
    var refusedClient: String?
  }

  private let state = Mutex(State())

  /// The port where a sign-in ends that names none.
  static let freePort = 8123

  /// Every address that opened.
  var addresses: [String] { state.withLock { $0.addresses } }
  /// Every port that was listened on.
  var ports: [Int] { state.withLock { $0.ports } }

  /// Lets the server come back with an error in place of a code; `nil` to sign in again.
  ///
  /// - Parameters:
  ///   - error: The error, and perhaps more parameters.
  ///   - client: The client that it does so for; `nil` for each.
  func refuse(_ error: String?, for client: String? = nil) {
    state.withLock { ($0.refusal, $0.refusedClient) = (error, client) }
  }

  /// The parameters of the last address.
  var parameters: [String: String] { Self.parameters(of: addresses.last ?? "") }

  /// The decoded parameters of an address's query, or of a form after a `?`.
  static func parameters(of address: String) -> [String: String] {
    guard let mark = address.firstIndex(of: "?") else { return [:] }
    let query = address[mark...].dropFirst()
    // One by one: a parameter that may come more than once, such as `resource`, counts the first time.
    let pairs = query.split(separator: "&").map { pair in
      let name = String(pair.prefix { $0 != "=" })
      return (name, (try? QueryParameters(String(pair)))?[name] ?? "")
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The world of a record with this browser in it.
  func world(of record: RecordedWorld) -> World {
    var world = record.world()
    world.listener = CallbackListener { [self] redirect throws(ListenFailure) in
      listen(at: redirect.port ?? Self.freePort)
    }
    let open = { @Sendable [self] (address: String) async -> Bool in
      let sent = Self.parameters(of: address)
      // A request that was pushed before has its state in the form.
      let pushed = record.requests.map { Self.parameters(of: "?" + RowServer.text($0.body)) }
      comeBack(from: address, sent["state"] ?? pushed.last { $0["state"] != nil }?["state"] ?? "")
      return true
    }
    world.browser = Browser(open: open, openWith: { address, _ in await open(address) })
    return world
  }

  private func listen(at port: Int) -> Listening {
    let (callbacks, waiting) = AsyncStream.makeStream(of: Callback.self)
    state.withLock { state in
      state.ports.append(port)
      state.waiting = waiting
    }
    return Listening(
      port: port,
      next: {
        for await callback in callbacks { return callback }
        return nil
      },
      close: { waiting.finish() }
    )
  }

  private func comeBack(from address: String, _ requestState: String) {
    let (waiting, refusal) = state.withLock { state in
      state.addresses.append(address)
      let isRefused = state.refusedClient.map { $0 == Self.parameters(of: address)["client_id"] } ?? true
      return (state.waiting, isRefused ? state.refusal : nil)
    }
    let query = (refusal.map { "error=\($0)" } ?? "code=made-up-code") + "&state=\(requestState)"
    waiting?.yield(Callback(query: Secret(query), caller: .ownUser) { _ in })
  }
}
