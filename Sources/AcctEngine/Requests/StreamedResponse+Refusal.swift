package import AcctPorts
import AcctProtocol
import StrictJSON
import Synchronization

extension StreamedResponse {
  /// The most bytes of a rejection that are read for its reason.
  package static let refusalLimit = 1 << 16

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

  package var isJSON: Bool { head.field("Content-Type")?.lowercased().contains("json") ?? false }

  /// Reads the beginning of the body, which is returned again when the body is read.
  package mutating func peek() async -> [UInt8] {
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
