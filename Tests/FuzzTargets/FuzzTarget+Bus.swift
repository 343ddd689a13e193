import Secrets
import SessionBus

/// A message from the session bus, read as the answer to a search.
func busViolation(_ bytes: [UInt8]) -> String? {
  guard let message = try? BusMessage(Secret(bytes)) else { return nil }
  let call = BusCall<Int>(
    path: "/",
    interface: "a.b",
    method: "C",
    answerSignature: "ao"
  ) { reader, span throws(BusError) in
    var count = 0
    _ = try reader.array(alignedTo: 4, in: span) { reader, span throws(BusError) in
      count += try reader.string(in: span).utf8.count
    }
    return count
  }
  guard let count = try? message.answer(to: call) else { return nil }
  return count <= bytes.count * 3 ? nil : "more text than the message has bytes"
}
