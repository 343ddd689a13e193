import Glibc
import PrivateFiles
import Testing

@Suite("Copying between descriptors")
struct TransferTests {
  @Test("A transfer to a full disk fails in the system's words")
  func full() throws {
    let full = try Descriptor.open("/dev/full", O_WRONLY)
    let error = #expect(throws: FileError.self) { try writeAll([1, 2].span, to: full.number) }
    #expect(error?.reason == "no space left on device")
  }

  @Test("A transfer through a small pipe that does not block arrives whole")
  func pipeline() async throws {
    var ends: [Int32] = [-1, -1]
    let made = unsafe pipe(&ends) == 0
    try #require(made)
    let (source, sink) = (ends[0], ends[1])
    #expect(fcntl(sink, F_SETFL, O_NONBLOCK) == 0)
    #expect(fcntl(source, F_SETFL, O_NONBLOCK) == 0)
    let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let writing = Task.detached {
      try writeAll(sent.span, to: sink)
      close(sink)
    }
    #expect(try readAll(from: source, limit: sent.count) == sent)
    close(source)
    try await writing.value
  }

  @Test("A transfer of more than the limit returns nothing")
  func limit() throws {
    let zeros = try Descriptor.open("/dev/zero", O_RDONLY)
    #expect(try readAll(from: zeros.number, limit: 100) == nil)
    let nothing = try Descriptor.open("/dev/null", O_RDONLY)
    #expect(try readAll(from: nothing.number, limit: 0) == [])
  }
}
