import AcctPorts
import Glibc
import LiveHTTP
import NIOCore
import NIOPosix
import Synchronization
import Testing

@Suite("The turns of a local server's event loops")
struct LoopTurnTests {
  /// A turn, kept so that no later one has its address.
  private struct Answered {
    var path: String
    var loop: ObjectIdentifier?
    var turn: LoopTurn
  }

  @Test("Requests that came while an event loop was at work are answered in another turn, together")
  func shared() async throws {
    let answered = Mutex<[Answered]>([])
    let (holds, hold) = AsyncStream.makeStream(of: Void.self)
    let gate = Gate()
    try await serving { request in
      let loop = MultiThreadedEventLoopGroup.currentEventLoop.map { ObjectIdentifier($0) }
      answered.withLock { $0.append(Answered(path: request.target, loop: loop, turn: request.turn)) }
      if request.target == "/hold" {
        hold.yield()
        gate.wait()
      }
      return .text(200, "well")
    } _: { port in
      // More than two for each loop.
      var visitors: [Visitor] = []
      for _ in 1...13 {
        let visitor = try await Visitor(to: port)
        try await visitor.send(get("/first", "a"))
        #expect(await visitor.until("well").hasSuffix("well"))
        visitors.append(visitor)
      }
      do {
        defer { gate.open() }
        try await visitors[0].send(get("/hold", "a"))
        for await _ in holds { break }
        for visitor in visitors.dropFirst() { try await visitor.send(get("/held", "a")) }
      }
      for visitor in visitors { #expect(await visitor.until("well").hasSuffix("well")) }
    }
    let all = answered.withLock { $0 }
    let held = try #require(all.first { $0.path == "/hold" })
    let waiting = all.filter { $0.path == "/held" && $0.loop == held.loop }
    #expect(held.loop != nil && waiting.count > 1)
    // On a busy machine, some may come a turn later than the others.
    #expect(Set(waiting.map { ObjectIdentifier($0.turn) }).count < waiting.count)
    #expect(waiting.allSatisfy { $0.turn !== held.turn })
    let first = all.filter { $0.path == "/first" }
    #expect(Set(first.map { ObjectIdentifier($0.turn) }).count == first.count)
  }
}

/// Holds a thread up until it is opened.
@safe private final class Gate: Sendable {
  private let ends: (read: Int32, write: Int32)

  init() {
    var ends: [Int32] = [-1, -1]
    unsafe pipe(&ends)
    self.ends = (ends[0], ends[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  func wait() {
    var byte: UInt8 = 0
    _ = unsafe read(ends.read, &byte, 1)
  }

  func open() {
    var byte: UInt8 = 0
    _ = unsafe write(ends.write, &byte, 1)
  }
}
