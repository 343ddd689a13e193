import AcctPorts
import LiveHTTP
import Synchronization

/// Serves for as long as `body` runs.
func serving<Outcome: Sendable>(
  at place: LocalPlace = .port(nil),
  _ answer: @escaping @Sendable (LocalRequest) async -> LocalResponse,
  _ body: (Int) async throws -> Outcome
) async throws -> Outcome {
  let server = LocalServer.live { () throws(ListenFailure) in
    throw .unusableSocket(path: "", reason: "no test needs a folder")
  }
  let serving = try await server.serve(place, answer)
  do {
    let port = if case .port(let port?) = serving.place { port } else { 0 }
    let outcome = try await body(port)
    await serving.stop()
    return outcome
  } catch {
    await serving.stop()
    throw error
  }
}

extension LocalResponse {
  /// An answer with a length.
  static func text(_ status: Int = 200, _ text: String) -> LocalResponse {
    parts([text], [("Content-Length", "\(text.utf8.count)")], status: status)
  }

  /// An answer in parts; a `nil` among them is a server that stops.
  static func parts(
    _ parts: [String?],
    _ fields: [(name: String, value: String)] = [],
    status: Int = 200
  ) -> LocalResponse {
    let rest = Mutex(parts[...])
    return LocalResponse(status: status, fields: fields) { () async throws(HTTPFailure) in
      guard let part = rest.withLock({ $0.popFirst() }) else { return nil }
      guard let part else { throw .closed }
      return Array(part.utf8)
    }
  }
}

extension LocalRequest {
  /// The whole body as text; `nil` if it broke off.
  func text() async -> String? {
    var bytes: [UInt8] = []
    do throws(StreamFailure) {
      while let part = try await body?.next() { bytes += part }
    } catch {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
