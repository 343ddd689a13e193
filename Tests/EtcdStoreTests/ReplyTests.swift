import EtcdStore
import Testing

@Suite("Replies of gRPC")
struct ReplyTests {
  @Test("A frame has a flag, a length of four bytes, and the message")
  func frame() throws {
    #expect(GRPCFrame.prefix(of: 0x01020304) == [0, 1, 2, 3, 4])
    #expect(try Array(GRPCFrame.message(in: [0, 0, 0, 0, 2, 8, 9])) == [8, 9])
    #expect(try Array(GRPCFrame.message(in: [0, 0, 0, 0, 0])) == [])
  }

  @Test("A body that is not exactly one message is refused")
  func noFrame() {
    let whole: [UInt8] = [0, 0, 0, 0, 2, 8, 9]
    for count in whole.indices {
      #expect(throws: WireFlaw.truncated) { try GRPCFrame.message(in: Array(whole[..<count])) }
    }
    #expect(throws: WireFlaw.trailingBytes) { try GRPCFrame.message(in: whole + [0]) }
    #expect(throws: WireFlaw.compressed) { try GRPCFrame.message(in: [1, 0, 0, 0, 0]) }
    #expect(throws: WireFlaw.truncated) { try GRPCFrame.message(in: [0, 0xFF, 0xFF, 0xFF, 0xFF, 1]) }
  }

  @Test("A status behind the body is the call's")
  func trailer() throws {
    let head = try head("HTTP/2 200 ", "content-type: application/grpc", "", "grpc-status: 0")
    #expect(head.status == 200)
    #expect(head.isGRPC)
    #expect(head.call == CallStatus(code: 0, message: ""))
  }

  @Test("A message comes decoded, whichever of the two fields comes first")
  func message() throws {
    let status = "grpc-status: 14"
    let message = "grpc-message: etcdserver: no leader%2C 100%25 %zz %"
    let expected = CallStatus(code: 14, message: "etcdserver: no leader, 100% %zz %")
    #expect(try head("HTTP/2 200", status, message).call == expected)
    #expect(try head("HTTP/2 200", message, status).call == expected)
  }

  @Test("A reply without a status of gRPC has none")
  func noStatus() throws {
    let head = try head("HTTP/2 503", "content-type: text/html")
    #expect(head.call == nil)
    #expect(!head.isGRPC)
  }

  @Test("A reply of an older HTTP, or with a status that is no number, is refused")
  func malformed() {
    for line in ["HTTP/1.1 200 OK", "HTTP/2", "HTTP/2 x", "grpc-status: -1", "grpc-status: 9x"] {
      #expect(throws: WireFlaw.malformedHead) { try head(line) }
    }
  }

  @Test("A head without an end is refused")
  func endless() {
    var head = ReplyHead()
    #expect(throws: WireFlaw.tooLarge) {
      for _ in 0..<100 { try head.take(Array(repeating: 0x61, count: 1000)) }
    }
  }

  private func head(_ lines: String...) throws -> ReplyHead {
    var head = ReplyHead()
    for line in lines { try head.take(Array("\(line)\r\n".utf8)) }
    return head
  }
}
