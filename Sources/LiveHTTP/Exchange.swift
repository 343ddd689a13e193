import AcctModel
import AcctPorts
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension Clients {
  /// Sends a request and reads its whole response, with no deadline of its own but the
  /// connection's.
  func exchange(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let origin = request.url.origin
    // An origin that breaks this can't be made; it stands here too since all else rests on it.
    guard origin.scheme == .https || origin.isLoopback else {
      throw .unsendable(reason: "plain http is for loopback only")
    }
    let message = try HTTPClientRequest(request)
    let route = try route(to: origin)
    let client = try client(for: route)
    // The client takes notice of a cancellation only a little later.
    guard !Task.isCancelled else { throw .cancelled }
    do {
      // The caller's deadline covers this call and the body alike.
      let response = try await client.execute(message, deadline: .distantFuture)
      return HTTPResponse(
        status: Int(response.status.code),
        fields: response.headers.map { ($0.name, withoutTrailingBlanks($0.value)) },
        body: try await Secret(reading: response.body, limit: request.bodyLimit)
      )
    } catch let failure as HTTPFailure {
      throw failure
    } catch  where error.isRefusedCertificate && route == .direct {
      throw await .untrusted(reason: reasonToDistrust(origin))
    } catch {
      throw HTTPFailure(error, route: route, host: origin.host)
    }
  }
}

/// Blanks around a value are no part of it (RFC 9110, section 5.5); NIO drops the leading ones.
private func withoutTrailingBlanks(_ value: String) -> String {
  guard let last = value.utf8.last, last == 0x20 || last == 0x09 else { return value }
  let end = value.lastIndex { $0 != " " && $0 != "\t" }.map(value.index(after:))
  return String(value[..<(end ?? value.startIndex)])
}

extension Secret {
  /// Collects a body, and stops at the first byte too many.
  fileprivate init(reading body: HTTPClientResponse.Body, limit: Int) async throws {
    var bytes: [UInt8] = []
    // Untouched pages cost nothing, and an array that grows leaves copies behind.
    bytes.reserveCapacity(min(limit, 1 << 20))
    for try await part in body {
      guard part.readableBytes <= limit - bytes.count else {
        throw HTTPFailure.tooLarge(limit: limit)
      }
      bytes.append(contentsOf: part.readableBytesView)
    }
    self.init(consuming: &bytes)
  }
}
