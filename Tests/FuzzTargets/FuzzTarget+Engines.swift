import Secrets
import EtcdStore

/// The body of a reply of etcd, read as each of the answers that there are, and the same bytes as lines of a head.
func etcdReplyViolation(_ bytes: [UInt8]) -> String? {
  guard let message = try? GRPCFrame.message(in: bytes) else { return headViolation(bytes) }
  var pairs: [KeyValue] = []
  if let answer = try? RangeResponse(parsing: message) { pairs += answer.pairs }
  if let answer = try? TxnResponse(parsing: message) {
    guard answer.header.revision > 0 else { return "an answer without a revision" }
    pairs += answer.ranges.joined()
  }
  guard pairs.allSatisfy({ $0.revision > 0 && !$0.key.isEmpty }) else { return "an object without a key or a version" }
  // A message can be read as both, and has each byte once.
  let size = pairs.reduce(0) { $0 + $1.value.count + $1.key.utf8.count }
  guard size <= 2 * message.count else { return "more bytes than the reply has" }
  if let login = try? AuthenticateResponse(parsing: message) {
    let isPlain = login.token.withBytes { span in span.indices.allSatisfy { (0x21...0x7E).contains(span[$0]) } }
    guard isPlain else { return "a token that could write header lines" }
  }
  return nil
}

private func headViolation(_ bytes: [UInt8]) -> String? {
  var head = ReplyHead()
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    do throws(WireFlaw) { try head.take(Array(line)) } catch { return nil }
  }
  guard head.call?.code ?? 0 >= 0 else { return "a status below 0" }
  let size = head.call?.message.utf8.count ?? 0
  // A byte that is not UTF-8 becomes three.
  return size <= 3 * bytes.count ? nil : "a message longer than its head"
}
