import Secrets
import SessionBus
import Testing

/// Bytes from the bus are accepted only as far as their own lengths and types are consistent.
@Suite("Messages on the session bus")
struct WireTests {
  /// A reply to call 5 from `:1.7`, with one string, as a machine of this byte order sends it.
  private static func reply(bigEndian: Bool) -> [UInt8] {
    func number(_ value: UInt8) -> [UInt8] { bigEndian ? [0, 0, 0, value] : [value, 0, 0, 0] }
    let fields: [UInt8] =
      [5, 1, 0x75, 0] + number(5)
      + [7, 1, 0x73, 0] + number(4) + Array(":1.7".utf8) + [0, 0, 0, 0]
      + [8, 1, 0x67, 0, 1, 0x73, 0]
    return [bigEndian ? 0x42 : 0x6C, 2, 1, 1] + number(8) + number(9) + number(UInt8(fields.count))
      + fields + [0] + number(3) + Array("yes".utf8) + [0]
  }

  private static var call: BusCall<String> {
    BusCall(path: "/a", interface: "b.c", method: "d", answerSignature: "s") {
      reader,
      bytes throws(BusError) in try reader.string(in: bytes)
    }
  }

  @Test("A bus message is read in either byte order", arguments: [false, true])
  func byteOrders(bigEndian: Bool) throws {
    let message = try BusMessage(Secret(Self.reply(bigEndian: bigEndian)))
    #expect(message.sender == ":1.7")
    #expect(message.replySerial == 5)
    #expect(message.errorName == nil)
    #expect(try message.answer(to: Self.call) == "yes")
  }

  @Test("A bus message of another type than the expected answer is rejected")
  func otherType() throws {
    let message = try BusMessage(Secret(Self.reply(bigEndian: false)))
    let call = BusCall(path: "/a", interface: "b.c", method: "d", answerSignature: "u") {
      reader,
      bytes throws(BusError) in try reader.uint32(in: bytes)
    }
    #expect(throws: BusError.malformed) { try message.answer(to: call) }
  }

  @Test("A bus message is a signal only if its source, name and type match")
  func signals() throws {
    // From ":1.7": the signal `b.c.d` of "/a", with the number 5.
    let fields: [UInt8] =
      [1, 1, 0x6F, 0, 2, 0, 0, 0] + Array("/a".utf8) + [0, 0, 0, 0, 0, 0]
      + [2, 1, 0x73, 0, 3, 0, 0, 0] + Array("b.c".utf8) + [0, 0, 0, 0, 0]
      + [3, 1, 0x73, 0, 1, 0, 0, 0] + Array("d".utf8) + [0, 0, 0, 0, 0, 0, 0]
      + [7, 1, 0x73, 0, 4, 0, 0, 0] + Array(":1.7".utf8) + [0, 0, 0, 0]
      + [8, 1, 0x67, 0, 1, 0x75, 0]
    let message = try BusMessage(
      Secret([0x6C, 4, 1, 1, 4, 0, 0, 0, 9, 0, 0, 0, UInt8(fields.count), 0, 0, 0] + fields + [0, 5, 0, 0, 0])
    )
    func content(path: String = "/a", name: String = "d", type: String = "u") throws -> UInt32? {
      try message.content(
        of: BusSignal(path: path, interface: "b.c", name: name, signature: type) {
          reader,
          bytes throws(BusError) in try reader.uint32(in: bytes)
        }
      )
    }
    #expect(message.sender == ":1.7")
    #expect(message.replySerial == nil)
    #expect(try content() == 5)
    #expect(try content(path: "/b") == nil)
    #expect(try content(name: "e") == nil)
    #expect(throws: BusError.malformed) { try content(type: "s") }
    let reply = try BusMessage(Secret(Self.reply(bigEndian: false)))
    #expect(throws: BusError.malformed) { try message.answer(to: Self.call) }
    let noSignal = BusSignal(path: "/a", interface: "b.c", name: "d", signature: "s") {
      reader,
      bytes throws(BusError) in try reader.string(in: bytes)
    }
    #expect(try reply.content(of: noSignal) == nil)
  }

  /// The header fields of a reply to call 5 from `:1.7`, with another field before them.
  private static func message(field: UInt8, _ type: String, _ value: [UInt8]) -> [UInt8] {
    var fields = [field, UInt8(type.utf8.count)] + Array(type.utf8) + [0] + value
    while fields.count % 8 != 0 { fields.append(0) }
    fields += [5, 1, 0x75, 0, 5, 0, 0, 0, 7, 1, 0x73, 0, 4, 0, 0, 0] + Array(":1.7".utf8) + [0]
    let padding = [UInt8](repeating: 0, count: (8 - fields.count % 8) % 8)
    return [0x6C, 2, 1, 1, 0, 0, 0, 0, 9, 0, 0, 0, UInt8(fields.count), 0, 0, 0] + fields + padding
  }

  @Test(
    "A bus message may have unknown header fields of any type",
    arguments: [
      // After the type comes the padding of the value.
      ("y", [7]), ("q", [7, 0]), ("t", [0, 0, 0, 0] + [1, 2, 3, 4, 5, 6, 7, 8]),
      ("v", [1, 0x79, 0, 7]), ("as", [0, 0, 0] + [6, 0, 0, 0, 1, 0, 0, 0, 97, 0]),
      ("a{sv}", [0, 0, 0, 0]), ("(yy)", [0] + [1, 2]), ("aay", [0, 0] + [0, 0, 0, 0]),
    ] as [(String, [UInt8])]
  )
  func unknownField(type: String, value: [UInt8]) throws {
    let message = try BusMessage(Secret(Self.message(field: 200, type, value)))
    #expect(message.sender == ":1.7")
    #expect(message.replySerial == 5)
  }

  @Test(
    "A bus message with a header field of an invalid type is rejected",
    arguments: ["", "(", "()", "a", "z", "yy", "(y", "a{sv"]
  )
  func typeOfUnknownField(type: String) {
    let value = [UInt8](repeating: 0, count: 24)
    #expect(throws: BusError.malformed) { try BusMessage(Secret(Self.message(field: 200, type, value))) }
  }

  @Test("A bus message longer than 4 MiB is rejected by its first bytes")
  func tooLong() {
    let head: [UInt8] = [0x6C, 2, 1, 1, 0, 0, 0x40, 0, 9, 0, 0, 0, 0, 0, 0, 0]
    #expect(throws: BusError.tooLarge) { try BusMessage(Secret(head)) }
  }

  @Test("A bus message that ends early, or has more bytes, is rejected")
  func wrongLengths() {
    let whole = Self.reply(bigEndian: false)
    for count in whole.indices {
      #expect(throws: BusError.malformed) { try BusMessage(Secret(whole.prefix(count))) }
    }
    #expect(throws: BusError.malformed) { try BusMessage(Secret(whole + [0])) }
  }

  @Test("A bus message with any byte changed is read or rejected, and never read beyond its end")
  func changedBytes() {
    let whole = Self.reply(bigEndian: false)
    for index in whole.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = whole
        changed[index] = value
        // A crash would end the run; an answer, or a refusal, is all that is wanted.
        _ = try? BusMessage(Secret(changed)).answer(to: Self.call)
      }
    }
  }

  @Test("A bus message that we send aligns each value as the specification says")
  func alignment() {
    var arguments = WireWriter()
    arguments.byte(1)
    arguments.array(alignedTo: 8) { entries in
      entries.align(8)
      entries.string("a")
      entries.string("b")
    }
    let call = BusCall(
      path: "/a",
      interface: "b.c",
      method: "d",
      signature: "ya{ss}",
      arguments: arguments,
      answerSignature: ""
    ) { _, _ throws(BusError) in }
    let body: [UInt8] = [1, 0, 0, 0, 14, 0, 0, 0, 1, 0, 0, 0, 97, 0, 0, 0, 1, 0, 0, 0, 98, 0]
    let message = call.message(serial: 1, to: ":1.7")
    #expect(message.count % 8 == body.count % 8)
    // The test machines are little-endian, as the vector is.
    #expect(Array(message.suffix(body.count)) == body)
  }
}
