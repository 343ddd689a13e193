import Secrets
import Testing

/// Changes where all secrets of the process lie, from its first test on.
@Suite("The memory of secrets", .serialized)
struct SecretMemoryTests {
  /// Of four units.
  @safe nonisolated(unsafe) private static let region: UnsafeMutableRawBufferPointer = {
    let region = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 64)
    unsafe region.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe SecretMemory.use(region)
    return unsafe region
  }()

  /// What lies in the region.
  private var contents: [UInt8] { unsafe Array(Self.region) }

  private func lies(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return contents.indices.contains { contents[$0...].starts(with: bytes) }
  }

  @Test("A secret lies in the region of the process, and leaves it wiped")
  func wiped() {
    #expect(contents == Array(repeating: 0, count: 256))
    do {
      let secret = Secret("marker of this test")
      #expect(lies("marker of this test"))
      #expect(Secret(joining: [Secret("a "), secret]) == Secret("a marker of this test"))
      var bytes = Array("consumed".utf8)
      let consumed = Secret(consuming: &bytes)
      #expect(lies("consumed"))
      #expect(consumed.count == 8)
    }
    #expect(contents == Array(repeating: 0, count: 256))
  }

  @Test("Secrets that do not fit into the region are on the heap")
  func full() {
    do {
      let large = Secret(Array(repeating: 1, count: 257))
      #expect(contents == Array(repeating: 0, count: 256))
      #expect(large.count == 257)
      let secrets = (0..<6).map { Secret("secret \($0)") }
      #expect((0..<6).map { lies("secret \($0)") } == [true, true, true, true, false, false])
      #expect(secrets == (0..<6).map { Secret("secret \($0)") })
    }
    #expect(contents == Array(repeating: 0, count: 256))
  }

  @Test("Freed parts of the region are used again, also in the midst of others")
  func again() {
    var secrets = (0..<4).map { Optional(Secret("secret \($0)")) }
    secrets[1] = nil
    #expect(!lies("secret 1"))
    secrets[1] = Secret("another")
    #expect(lies("another"))
    secrets[2] = nil
    secrets[1] = nil
    // 65 bytes need two units.
    let two = Secret(Array(repeating: 7, count: 65))
    #expect(contents.count { $0 == 7 } == 65)
    #expect(two.count == 65)
    #expect(secrets[0] == Secret("secret 0"))
    #expect(secrets[3] == Secret("secret 3"))
  }
}
