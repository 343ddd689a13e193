import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON
import Synchronization

extension StreamedResponse {
  /// How much of a refusal is read to find out its reason, in bytes.
  private static let refusalLimit = 1 << 16

  /// Does without the body; a short one is read, so that its connection can be used again.
  func dismiss() async {
    if let length = head.field("Content-Length").flatMap({ Int($0) }), length <= Self.refusalLimit {
      // A body that breaks off is no loss.
      while let part = try? await next(), !part.isEmpty {}
    }
    await cancel()
  }

  /// Why the request was refused, if it was; what had to be read of the body for that comes again.
  mutating func refusalCodes() async -> Set<String> {
    guard (400..<500).contains(head.status) else { return [] }
    let codes = DPoPRefusal.codes(status: head.status, headers: head.fields, body: [])
    guard codes.isEmpty, isJSON else { return codes }
    let body = await peek()
    return DPoPRefusal.codes(status: head.status, headers: head.fields, body: body)
  }

  /// What a backend says of a request that it did not fulfil; what was read for that comes again.
  mutating func fault(redacting redactor: Redactor) async -> BackendFault {
    guard isJSON else { return BackendFault(nil, redacting: redactor) }
    return BackendFault(try? JSON(parsing: await peek()), redacting: redactor)
  }

  /// The answer to a call that the user made as acct itself would.
  ///
  /// What was read for that comes again. A body beyond the limit is no such answer.
  mutating func answer(redacting redactor: Redactor) async -> ServerAnswer {
    let body = isJSON ? await peek() : []
    return ServerAnswer(
      status: head.status,
      contentType: head.field("Content-Type"),
      body: Secret(body.count > Self.refusalLimit ? [] : body),
      redacting: redactor
    )
  }

  private var isJSON: Bool { head.field("Content-Type")?.lowercased().contains("json") ?? false }

  /// Reads the beginning of the body, which comes again when the body is read.
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

  /// The same with parts that were read already.
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
