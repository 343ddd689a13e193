package import Secrets
import Text

/// `ResponseHeader` of etcd's `rpc.proto`.
package struct ResponseHeader: Equatable, Sendable {
  package var cluster: UInt64 = 0
  /// Of the store, when the request was carried out; at least 1.
  package var revision: Int64 = 0

  package init(parsing bytes: ArraySlice<UInt8>) throws(WireFlaw) {
    var reader = MessageReader(bytes)
    while let field = try reader.next() {
      switch field.number {
      case 1: cluster = try field.unsigned()
      case 3: revision = try field.signed()
      default: continue
      }
    }
    guard cluster != 0 else { throw .invalidField(1) }
    guard revision > 0 else { throw .invalidField(3) }
  }
}

/// `KeyValue` of etcd's `kv.proto`.
package struct KeyValue: Equatable, Sendable {
  package var key = ""
  /// Of its last change; at least 1.
  package var revision: Int64 = 0
  package var value: [UInt8] = []

  package init(parsing bytes: ArraySlice<UInt8>) throws(WireFlaw) {
    var reader = MessageReader(bytes)
    while let field = try reader.next() {
      switch field.number {
      case 1: key = try field.text()
      case 3: revision = try field.signed()
      case 5: value = Array(try field.bytes())
      default: continue
      }
    }
    guard !key.isEmpty else { throw .invalidField(1) }
    guard revision > 0 else { throw .invalidField(3) }
  }
}

/// `RangeResponse` of etcd's `rpc.proto`.
package struct RangeResponse: Equatable, Sendable {
  package var header: ResponseHeader
  package var pairs: [KeyValue]

  package init(parsing bytes: ArraySlice<UInt8>) throws(WireFlaw) {
    let fields = try rangeFields(bytes)
    header = try ResponseHeader(parsing: fields.header)
    pairs = fields.pairs
  }
}

/// `TxnResponse` of etcd's `rpc.proto`.
package struct TxnResponse: Equatable, Sendable {
  package var header: ResponseHeader
  package var succeeded = false
  /// The answers to those of its operations that read, in their order.
  package var ranges: [[KeyValue]] = []

  package init(parsing bytes: ArraySlice<UInt8>) throws(WireFlaw) {
    var head: ArraySlice<UInt8> = []
    var reader = MessageReader(bytes)
    while let field = try reader.next() {
      switch field.number {
      case 1: head = try field.bytes()
      case 2: succeeded = try field.flag()
      case 3:
        // `ResponseOp`: one of several answers.
        var operation = MessageReader(try field.bytes())
        while let answer = try operation.next() {
          if answer.number == 1 { ranges.append(try rangeFields(answer.bytes()).pairs) }
        }
      default: continue
      }
    }
    header = try ResponseHeader(parsing: head)
  }
}

/// The header is left as it is: within a transaction's answer it has the revision alone.
private func rangeFields(
  _ bytes: ArraySlice<UInt8>
) throws(WireFlaw) -> (header: ArraySlice<UInt8>, pairs: [KeyValue]) {
  var header: ArraySlice<UInt8> = []
  var pairs: [KeyValue] = []
  var reader = MessageReader(bytes)
  while let field = try reader.next() {
    switch field.number {
    case 1: header = try field.bytes()
    case 2: pairs.append(try KeyValue(parsing: try field.bytes()))
    // There is more only where a limit was set.
    case 3: guard try !field.flag() else { throw .invalidField(3) }
    default: continue
    }
  }
  return (header, pairs)
}

/// `AuthenticateResponse` of etcd's `rpc.proto`.
package struct AuthenticateResponse: Sendable {
  package var token: Secret

  package init(parsing bytes: ArraySlice<UInt8>) throws(WireFlaw) {
    var token: ArraySlice<UInt8> = []
    var reader = MessageReader(bytes)
    while let field = try reader.next() {
      switch field.number {
      case 2: token = try field.bytes()
      default: continue
      }
    }
    // It becomes a line of a request's head.
    guard !token.isEmpty, token.count <= 8192, token.allSatisfy(\.isVisibleASCII)
    else { throw .invalidField(2) }
    self.token = Secret(token)
  }
}
