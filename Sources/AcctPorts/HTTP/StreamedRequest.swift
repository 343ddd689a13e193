package import AcctModel
package import Release
package import Secrets

/// A request whose body may be of any length.
package struct StreamedRequest: Sendable {
  package var method: String
  package var url: HTTPURL
  /// Fields without a credential.
  package let plainFields: [(name: String, value: String)]
  /// The credential, and the fields that the user gave.
  package let released: Released?
  /// Sent in chunks (RFC 9112, section 7.1) if its length is not known.
  package var body: ByteSource?
  /// Let the server reject the request before the body is read (RFC 9110, section 10.1.1); a server that
  /// does not answer within a second gets the body all the same.
  package var asksFirst: Bool
  /// Seconds to connect, and seconds without a byte in either direction.
  ///
  /// The whole exchange has no limit. A slow source or reader on this side does not count.
  package var timeout: Int
  /// Presented to the server if it asks for one.
  package var identity: TLSIdentity?

  package init(
    method: String,
    url: HTTPURL,
    fields: [(name: String, value: String)] = [],
    releasing released: Released? = nil,
    body: ByteSource? = nil,
    asksFirst: Bool = false,
    timeout: Int,
    identity: TLSIdentity? = nil
  ) {
    self.method = method
    self.url = url
    plainFields = fields
    self.released = released
    self.body = body
    self.asksFirst = asksFirst
    self.timeout = timeout
    self.identity = identity
  }

  /// All of its fields, as they are sent.
  package var fields: [(name: String, value: Secret)] { released.lines(before: plainFields) }
}

/// A response whose body is still to come.
///
/// A reader that neither reads it to its end nor calls ``cancel`` ends the connection on release.
package struct StreamedResponse: Sendable {
  package var head: ResponseHead
  /// Returns the next part of the body, never an empty one, and `nil` at the end.
  ///
  /// Only one caller may wait at a time. The server is held up until the next call; cancelling the
  /// waiting task ends the connection.
  package var next: @Sendable () async throws(HTTPFailure) -> [UInt8]?
  /// Gives up the rest of the body, and returns when the connection is no longer in use.
  package var cancel: @Sendable () async -> Void

  package init(
    head: ResponseHead,
    next: @escaping @Sendable () async throws(HTTPFailure) -> [UInt8]?,
    cancel: @escaping @Sendable () async -> Void
  ) {
    self.head = head
    self.next = next
    self.cancel = cancel
  }
}

/// The head of a response (RFC 9112, section 2.1).
package struct ResponseHead: Sendable {
  package var status: Int
  /// The status line as it was received: `HTTP/1.1 200 OK`.
  package var statusLine: String
  package var fields: [(name: String, value: String)]

  package init(status: Int, statusLine: String, fields: [(name: String, value: String)]) {
    self.status = status
    self.statusLine = statusLine
    self.fields = fields
  }

  /// The value of the only field of that name; `nil` if there is none, or more than one.
  package func field(_ name: String) -> String? { fields.only(name) }
}

extension [(name: String, value: String)] {
  /// The value of the only field of that name, whatever its case.
  package func only(_ name: String) -> String? {
    var found: String?
    for field in self where field.name.isSameField(as: name) {
      guard found == nil else { return nil }
      found = field.value
    }
    return found
  }
}

/// A stream of bytes of any length, such as a large file's, read part by part.
///
/// For one reader, once. Memory holds a part, never the whole.
package struct ByteSource: Sendable {
  /// The number of bytes; `nil` where only their end tells, as with a pipe.
  package var length: Int64?
  /// Returns the next part, never an empty one, and `nil` at the end.
  package var next: @Sendable () async throws(StreamFailure) -> [UInt8]?

  package init(length: Int64?, next: @escaping @Sendable () async throws(StreamFailure) -> [UInt8]?) {
    self.length = length
    self.next = next
  }
}

/// A destination for any number of bytes, written part by part.
package struct ByteSink: Sendable {
  /// Writes a part; waits until it is read.
  package var write: @Sendable ([UInt8]) throws(StreamFailure) -> Void
  /// Completes the output: a file appears under its name only now, whole.
  package var finish: @Sendable () throws(StreamFailure) -> Void
  /// Discards the output: a file keeps its former contents, or stays absent.
  package var discard: @Sendable () -> Void
  /// `true` if ``discard`` leaves nothing behind; `false` if a written byte can't be taken back.
  package var isAtomic: Bool

  package init(
    write: @escaping @Sendable ([UInt8]) throws(StreamFailure) -> Void,
    finish: @escaping @Sendable () throws(StreamFailure) -> Void,
    discard: @escaping @Sendable () -> Void,
    isAtomic: Bool
  ) {
    self.write = write
    self.finish = finish
    self.discard = discard
    self.isAtomic = isAtomic
  }
}
