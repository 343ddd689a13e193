import Secrets
import EtcdStore
import Testing

/// Bytes as protoc's own encoder makes them from the fields of etcd's `rpc.proto` and `kv.proto`.
@Suite("Messages of etcd")
struct MessageTests {
  @Test("A range request for one key has its field 1 alone")
  func oneKey() {
    #expect(RangeRequest(key: "a").message.bytes == [0x0A, 1, 0x61])
  }

  @Test("A range request for a prefix ends at the first key that does not begin so")
  func prefix() {
    var request = RangeRequest(prefix: "a/")
    request.keysOnly = true
    request.minimumRevision = 300
    let expected: [UInt8] = [0x0A, 2, 0x61, 0x2F, 0x12, 2, 0x61, 0x30, 0x40, 1, 0x50, 0xAC, 2]
    #expect(request.message.bytes == expected)
    #expect(RangeRequest(prefix: "").message.bytes == [0x0A, 1, 0, 0x12, 1, 0])
  }

  @Test("A transaction writes its comparison's revision even if that is 0")
  func creation() {
    let request = TxnRequest(
      comparison: ("k", 0),
      success: [.put(key: "k", value: [9])],
      failure: [.range(RangeRequest(key: "k"))]
    )
    let comparison: [UInt8] = [0x0A, 9, 0x08, 0, 0x10, 2, 0x1A, 1, 0x6B, 0x30, 0]
    let put: [UInt8] = [0x12, 8, 0x12, 6, 0x0A, 1, 0x6B, 0x12, 1, 9]
    let range: [UInt8] = [0x1A, 5, 0x0A, 3, 0x0A, 1, 0x6B]
    #expect(request.message.bytes == comparison + put + range)
  }

  @Test("A transaction that removes names the key in a DeleteRangeRequest")
  func removal() {
    let request = TxnRequest(comparison: ("k", 7), success: [.delete(key: "k")])
    let comparison: [UInt8] = [0x0A, 9, 0x08, 0, 0x10, 2, 0x1A, 1, 0x6B, 0x30, 7]
    #expect(request.message.bytes == comparison + [0x12, 5, 0x1A, 3, 0x0A, 1, 0x6B])
  }

  @Test("A request to authenticate has the user and the password")
  func login() {
    let message = AuthenticateRequest(user: "u", password: Secret("pw")).message
    #expect(message == Secret([0x0A, 1, 0x75, 0x12, 2, 0x70, 0x77]))
  }

  @Test("An answer to a range request gives header, key, revision and value")
  func rangeAnswer() throws {
    let answer = try RangeResponse(parsing: Sample.range[...])
    #expect(answer.header.cluster == 0xABCD)
    #expect(answer.header.revision == 300)
    #expect(answer.pairs.map(\.key) == ["k"])
    #expect(answer.pairs.map(\.revision) == [299])
    #expect(answer.pairs.map(\.value) == [[1, 2, 3]])
  }

  @Test("An answer to a transaction gives what its range requests have read, in their order")
  func transactionAnswer() throws {
    let answer = try TxnResponse(parsing: Sample.transaction[...])
    #expect(answer.succeeded)
    #expect(answer.header.revision == 300)
    #expect(answer.ranges.map { $0.map(\.key) } == [["k"], []])
  }

  @Test("Fields that are not known are passed over, of each type")
  func unknownFields() throws {
    let unknown: [UInt8] = [0x78, 1, 0x7A, 2, 9, 9, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7D, 1, 2, 3, 4]
    let known = try RangeResponse(parsing: Sample.range[...])
    #expect(try RangeResponse(parsing: (unknown + Sample.range + unknown)[...]) == known)
  }

  @Test("An answer that is cut anywhere is refused, or says less", arguments: 0..<Sample.range.count)
  func cut(at count: Int) {
    let whole = try? RangeResponse(parsing: Sample.range[...])
    let part = try? RangeResponse(parsing: Sample.range[..<count])
    #expect(part != whole)
    // A cut between two fields leaves a message, with a header and without objects.
    #expect(part == nil || part?.pairs == [])
  }

  @Test(
    "Bytes that no encoder writes are refused",
    arguments: [
      // A number of more than 64 bits, one without an end, and one of ten bytes with too high a last one.
      [0x18] + Array(repeating: 0xFF, count: 10) + [1],
      [0x18] + Array(repeating: 0x80, count: 10), [0x18] + Array(repeating: 0xFF, count: 9) + [2],
      // A length beyond the end, a group, a field 0, a field whose number has more than 29 bits.
      [0x12, 0x7F, 1], [0x13], [0x00, 1], [0x80, 0x80, 0x80, 0x80, 0x10, 1],
      // A length of 2^64 - 1.
      [0x12] + Array(repeating: 0xFF, count: 9) + [1],
    ] as [[UInt8]]
  )
  func malformed(bytes: [UInt8]) {
    #expect(throws: WireFlaw.self) { try RangeResponse(parsing: (Sample.range + bytes)[...]) }
    #expect(throws: WireFlaw.self) { try TxnResponse(parsing: (Sample.transaction + bytes)[...]) }
  }

  @Test("A field of another type than its message declares is refused")
  func wrongType() {
    #expect(throws: WireFlaw.unexpectedType(field: 1)) { try RangeResponse(parsing: [0x08, 1]) }
    #expect(throws: WireFlaw.unexpectedType(field: 2)) {
      try TxnResponse(parsing: (Sample.transaction + [0x12, 0])[...])
    }
    #expect(throws: WireFlaw.unexpectedType(field: 3)) { try KeyValue(parsing: [0x0A, 1, 0x6B, 0x1A, 0]) }
  }

  @Test("An answer without a cluster, a revision or a key is refused")
  func missing() {
    #expect(throws: WireFlaw.invalidField(1)) { try ResponseHeader(parsing: [0x18, 1]) }
    #expect(throws: WireFlaw.invalidField(3)) { try ResponseHeader(parsing: [0x08, 1]) }
    #expect(throws: WireFlaw.invalidField(1)) { try KeyValue(parsing: [0x18, 1]) }
    #expect(throws: WireFlaw.invalidField(3)) { try KeyValue(parsing: [0x0A, 1, 0x6B]) }
    // -1, and a key that is not UTF-8.
    let negative: [UInt8] = [0x18] + Array(repeating: 0xFF, count: 9) + [1]
    #expect(throws: WireFlaw.invalidField(3)) { try ResponseHeader(parsing: ([0x08, 1] + negative)[...]) }
    #expect(throws: WireFlaw.invalidField(1)) { try KeyValue(parsing: [0x0A, 1, 0xFF, 0x18, 1]) }
  }

  @Test("An answer that says that there is more is refused: no limit was asked for")
  func more() {
    #expect(throws: WireFlaw.invalidField(3)) { try RangeResponse(parsing: (Sample.range + [0x18, 1])[...]) }
  }

  @Test("A token that could write lines of a request's head is refused")
  func token() throws {
    let token = Array("made-up.42".utf8)
    let answer = try AuthenticateResponse(parsing: ([0x12, UInt8(token.count)] + token)[...])
    #expect(answer.token == Secret(token))
    for bad in [[], Array("a\r\nb: c".utf8), [0x80]] as [[UInt8]] {
      #expect(throws: WireFlaw.invalidField(2)) {
        try AuthenticateResponse(parsing: ([0x12, UInt8(bad.count)] + bad)[...])
      }
    }
  }
}

/// Answers, written out.
private enum Sample {
  static let header: [UInt8] = [0x08, 0xCD, 0xD7, 2, 0x10, 7, 0x18, 0xAC, 2, 0x20, 2]
  static let pair: [UInt8] = [0x0A, 1, 0x6B, 0x10, 5, 0x18, 0xAB, 2, 0x20, 3, 0x2A, 3, 1, 2, 3]
  static let range: [UInt8] = [0x0A, UInt8(header.count)] + header + [0x12, UInt8(pair.count)] + pair
  static let transaction: [UInt8] =
    [0x0A, UInt8(header.count)] + header + [0x10, 1]
    // A range with one pair, a put, and a range with nothing but a revision.
    + [0x1A, UInt8(pair.count + 4), 0x0A, UInt8(pair.count + 2), 0x12, UInt8(pair.count)] + pair
    + [0x1A, 2, 0x12, 0] + [0x1A, 6, 0x0A, 4, 0x0A, 2, 0x18, 9]
}
