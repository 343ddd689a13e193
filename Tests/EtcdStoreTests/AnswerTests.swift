import AcctPorts
import EtcdStore
import FleetPorts
import Testing

@Suite("Answers of a member of etcd that is not what it seems")
struct AnswerTests {
  private let strange = SharedStoreFailure.failed(reason: "the cluster does not answer as etcd does")

  /// A pair with one byte as its value.
  private func pair(_ key: String, _ revision: UInt8) -> [UInt8] {
    [0x0A, UInt8(key.utf8.count)] + Array(key.utf8) + [0x18, revision, 0x2A, 1, revision]
  }

  private func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }

  private var header: [UInt8] { field(1, [0x08, 1, 0x18, 9]) }

  private func range(_ pairs: [UInt8]...) throws(WireFlaw) -> RangeResponse {
    try RangeResponse(parsing: (header + pairs.flatMap { field(2, $0) })[...])
  }

  private func transaction(_ ranges: [[UInt8]]..., succeeded: UInt8 = 1) throws(WireFlaw) -> TxnResponse {
    let answers = ranges.flatMap { pairs in field(3, field(1, pairs.flatMap { field(2, $0) })) }
    return try TxnResponse(parsing: (header + [0x10, succeeded] + answers)[...])
  }

  @Test("An answer about another key, or about two, is refused")
  func oneKey() throws {
    let reading = try SharedStore.Reading(range(pair("/a", 3)), of: "/a")
    #expect(reading.object == SharedStore.Object(key: "/a", bytes: [3], version: 3))
    #expect(reading.standing == SharedStore.Standing(identifier: "1", revision: 9))
    #expect(try SharedStore.Reading(range(), of: "/a").object == nil)
    #expect(throws: strange) { try SharedStore.Reading(range(pair("/b", 3)), of: "/a") }
    #expect(throws: strange) { try SharedStore.Reading(range(pair("/a", 3), pair("/a", 4)), of: "/a") }
  }

  @Test("A list with a key of another prefix, with an answer too few, or of the other branch is refused")
  func changes() throws {
    let (old, new) = (pair("/a/1", 3), pair("/a/2", 5))
    let changes = try SharedStore.Changes(transaction([old, new], [old, new]), under: "/a/", since: 3)
    // What has not changed since was not asked for.
    #expect(changes.objects.map(\.key) == ["/a/2"])
    #expect(changes.keys == ["/a/1", "/a/2"])
    let other = pair("/b/1", 5)
    for lists in [[[other], []], [[new], [other]], [[new]], [[new], [new], [new]]] {
      let answers = lists.flatMap { pairs in field(3, field(1, pairs.flatMap { field(2, $0) })) }
      let answer = try TxnResponse(parsing: (header + [0x10, 1] + answers)[...])
      #expect(throws: strange) { try SharedStore.Changes(answer, under: "/a/", since: 3) }
    }
    #expect(throws: strange) {
      try SharedStore.Changes(transaction([new], [new], succeeded: 0), under: "/a/", since: 3)
    }
  }
}
