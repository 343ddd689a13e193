package import AcctPorts
import Synchronization

/// A server for programs on this machine that has no socket: its clients are a test's own code.
package final class RecordedLocalServer: Sendable {
  /// The answer that a client got, whole.
  package struct Answer: Sendable {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let text: String
    /// Whether the connection was cut in the middle of the body.
    package let isCut: Bool
  }

  /// Makes a request.
  package typealias Ask =
    @Sendable (
      _ method: String, _ target: String, _ fields: [(name: String, value: String)],
      _ body: String?
    ) async -> Answer

  private struct State {
    var clients: (@Sendable (@escaping Ask) async -> Void)?
    var places: [LocalPlace] = []
    var failure: ListenFailure?
    var sideExecutor: (any TaskExecutor)?
    var turn: LoopTurn?
    var stops = 0
  }
  private let state = Mutex(State())

  /// Where it was asked to listen, time after time.
  package var places: [LocalPlace] { state.withLock { $0.places } }
  /// How often it was stopped.
  package var stops: Int { state.withLock { $0.stops } }

  /// Lets clients come as soon as it serves; when they are through, the user presses Ctrl-C.
  package func visit(by clients: @escaping @Sendable (@escaping Ask) async -> Void) {
    state.withLock { $0.clients = clients }
  }

  /// Says where answers do what could hold up others.
  package func work(aside executor: any TaskExecutor) { state.withLock { $0.sideExecutor = executor } }

  /// Answers the next requests in one turn; `nil` each in one of its own, as at first.
  package func stay(in turn: LoopTurn?) { state.withLock { $0.turn = turn } }

  /// Makes listening fail.
  package func fail(with failure: ListenFailure) { state.withLock { $0.failure = failure } }

  /// The server as a command gets it.
  ///
  /// - Parameter interrupt: Presses Ctrl-C.
  /// - Returns: `nil` if no clients are to come.
  func port(_ interrupt: @escaping @Sendable () -> Void) -> LocalServer? {
    let (clients, failure, aside) = state.withLock { ($0.clients, $0.failure, $0.sideExecutor) }
    guard clients != nil || failure != nil else { return nil }
    return LocalServer(sideExecutor: aside) { place, answer throws(ListenFailure) in
      self.state.withLock { $0.places.append(place) }
      if let failure { throw failure }
      let visit = Task {
        await clients? { method, target, fields, body in
          await Answer(
            await answer(
              LocalRequest(
                method: method,
                target: target,
                fields: fields,
                body: body.map { source(of: $0) },
                port: place.found.port,
                turn: self.state.withLock { $0.turn } ?? LoopTurn()
              )
            )
          )
        }
        interrupt()
      }
      return Serving(place: place.found) {
        await visit.value
        self.state.withLock { $0.stops += 1 }
      }
    }
  }
}

extension RecordedLocalServer.Answer {
  fileprivate init(_ response: LocalResponse) async {
    var bytes: [UInt8] = []
    var isCut = false
    do throws(HTTPFailure) {
      while let part = try await response.next() { bytes += part }
    } catch {
      isCut = true
    }
    self.init(
      status: response.status,
      fields: response.fields,
      text: String(decoding: bytes, as: UTF8.self),
      isCut: isCut
    )
  }

  /// The value of the only field of that name.
  package func field(_ name: String) -> String? { fields.only(name) }
}

extension LocalPlace {
  /// With a path or a number where none was given.
  fileprivate var found: LocalPlace {
    switch self {
    case .socket(let path): .socket(path: path ?? "/run/acct/proxy")
    case .port(let number): .port(number ?? 4711)
    }
  }

  fileprivate var port: Int? {
    switch self {
    case .socket: nil
    case .port(let number): number
    }
  }
}

private func source(of text: String) -> ByteSource {
  let rest = Mutex([Array(text.utf8)].filter { !$0.isEmpty })
  return ByteSource(length: nil) { rest.withLock { $0.popLast() } }
}
