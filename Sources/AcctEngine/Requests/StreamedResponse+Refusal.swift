package import Secrets
package import AcctPorts
package import AcctProtocol
import StrictJSON
import Synchronization

extension StreamedResponse {
  /// The most bytes of a rejection that are read for its reason.
  private static let refusalLimit = 1 << 16

  /// Discards the body; a short one is read, so that its connection can be used again.
  package func dismiss() async {
    if let length = head.field("Content-Length").flatMap({ Int($0) }), length <= Self.refusalLimit {
      // A body that ends too early is no loss.
      while let part = try? await next(), !part.isEmpty {}
    }
    await cancel()
  }

  /// The error codes of a rejected request; the part of the body that is read is returned again.
  package mutating func refusalCodes() async -> Set<String> {
    guard (400..<500).contains(head.status) else { return [] }
    let codes = DPoPRefusal.codes(status: head.status, headers: head.fields, body: [])
    guard codes.isEmpty, isJSON else { return codes }
    let body = await peek()
    return DPoPRefusal.codes(status: head.status, headers: head.fields, body: body)
  }

  /// A backend's statement about a request that it did not fulfil; the part that is read is returned again.
  package mutating func fault(redacting redactor: Redactor) async -> BackendFault {
    guard isJSON else { return BackendFault(nil, redacting: redactor) }
    return BackendFault(try? JSON(parsing: await peek()), redacting: redactor)
  }

  /// The answer to the user's own call of an endpoint that acct uses, too.
  ///
  /// The part that is read is returned again. A body beyond the limit is no such answer.
  mutating func answer(redacting redactor: Redactor) async -> ServerAnswer {
    let body = await peek()
    return ServerAnswer(
      status: head.status,
      contentType: head.field("Content-Type"),
      body: Secret(body.count > Self.refusalLimit ? [] : body),
      redacting: redactor
    )
  }

  private var isJSON: Bool { head.field("Content-Type")?.lowercased().contains("json") ?? false }

  /// Reads the beginning of the body, which is returned again when the body is read.
  private mutating func peek() async -> [UInt8] {
    var parts: [[UInt8]] = []
    var count = 0
    var end: Result<Void, HTTPFailure>?
    while end == nil, count < Self.refusalLimit {
      do throws(HTTPFailure) {
        if let part = try await next() {
          parts.append(part)
          count += part.count
        } else {
          end = .success(())
        }
      } catch {
        end = .failure(error)
      }
    }
    self = StreamedResponse(self, after: parts, end)
    return Array(parts.joined())
  }

  /// The rest of a response, after parts that were read already.
  private init(_ rest: StreamedResponse, after parts: [[UInt8]], _ end: Result<Void, HTTPFailure>?) {
    let unread = Mutex(parts[...])
    self.init(
      head: rest.head,
      next: { () async throws(HTTPFailure) in
        if let part = unread.withLock({ $0.popFirst() }) { return part }
        guard let end else { return try await rest.next() }
        try end.get()
        return nil
      },
      cancel: rest.cancel
    )
  }
}
