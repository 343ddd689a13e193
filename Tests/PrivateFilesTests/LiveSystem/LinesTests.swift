import Secrets
import AcctPorts
import Dispatch
import Glibc
import LiveSystem
import Testing

@Suite("Lines of a standard input that is not a terminal")
struct PipedLinesTests {
  /// Both ends of a pipe.
  private final class Pipe: Sendable {
    let reading: Int32
    let writing: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      let made = unsafe pipe(&ends) == 0
      try #require(made)
      (reading, writing) = (ends[0], ends[1])
    }

    deinit { close(reading) }

    func write(_ text: String) {
      let bytes = Array(text.utf8)
      _ = unsafe Glibc.write(writing, bytes, bytes.count)
    }

    func end() { close(writing) }

    func lines() -> AsyncStream<Secret> { Terminal.live(input: reading).lines("Prompt: ") }
  }

  @Test("A line of input ends at a line break, and the last one also without")
  func lines() async throws {
    let pipe = try Pipe()
    pipe.write("one\r\n\ntwo 2\nthree")
    pipe.end()
    #expect(
      await pipe.lines().reduce(into: []) { $0.append($1) } == ["one", "", "two 2", "three"].map { Secret($0) }
    )
  }

  @Test("A line of input is returned as soon as it is written")
  func interactive() async throws {
    let pipe = try Pipe()
    var lines = pipe.lines().makeAsyncIterator()
    pipe.write("on")
    pipe.write("e\ntw")
    #expect(await lines.next() == Secret("one"))
    pipe.write("o\n")
    #expect(await lines.next() == Secret("two"))
    pipe.end()
    #expect(await lines.next() == nil)
  }

  @Test("A line of input that is too long is returned empty, and the next one is whole")
  func tooLong() async throws {
    let pipe = try Pipe()
    let limit = 65_536
    async let writing: Void = onDedicatedThread {
      pipe.write(String(repeating: "a", count: limit + 1) + "\n")
      pipe.write(String(repeating: "b", count: limit) + "\nc")
      pipe.end()
    }
    let lines = await pipe.lines().reduce(into: []) { $0.append($1) }
    await writing
    let longest = Secret(String(repeating: "b", count: limit))
    #expect(lines == [Secret(""), longest, Secret("c")])
  }

  @Test("A wait for a line of input ends at once if its task is cancelled")
  func cancelled() async throws {
    let pipe = try Pipe()
    let reading = Task { await pipe.lines().reduce(0) { count, _ in count + 1 } }
    reading.cancel()
    #expect(await reading.value == 0)
    // Nothing was taken that a later reader could miss.
    pipe.write("later\n")
    pipe.end()
    #expect(await pipe.lines().first { _ in true } == Secret("later"))
  }
}

extension LiveTerminalTests {
  /// The terminal as standard input.
  private func lines() -> AsyncStream<Secret> {
    let input = unsafe open(keyboard.device, O_RDWR | O_NOCTTY | O_CLOEXEC)
    return Terminal.live(device: keyboard.device, input: input).lines("Prompt: ")
  }

  @Test("A line after a prompt is read without echo, and the echo is restored")
  func typedLines() async throws {
    var lines = lines().makeAsyncIterator()
    for text in ["first", "", "grün"] {
      async let line = lines.next()
      _ = try #require(await onDedicatedThread { keyboard.screen(until: "Prompt: ") })
      #expect(!keyboard.echoes)
      keyboard.type("\(text)\r")
      #expect(await line == Secret(text))
      #expect(keyboard.echoes)
    }
    #expect(await onDedicatedThread { keyboard.screen(until: "\r\n") } == "\r\n")
  }

  @Test("A pasted line may be longer than a terminal's own editor allows", .timeLimit(.minutes(1)))
  func longLine() async throws {
    let text = String(repeating: "0123456789", count: 1000)
    var lines = lines().makeAsyncIterator()
    async let line = lines.next()
    _ = try #require(await onDedicatedThread { keyboard.screen(until: "Prompt: ") })
    // It goes through a buffer that takes only a part at once.
    await onDedicatedThread { keyboard.type("\(text)\r") }
    #expect(await line == Secret(text))
  }

  @Test("A line can be edited, and ended by Ctrl-D, Ctrl-C or Ctrl-\\ like the input")
  func typedKeys() async throws {
    for (keys, expected) in [
      ("wrong\u{15}rigü\u{7F}ht\n", "right"), ("\u{7F}\u{7F}a\u{8}b\n", "b"), ("a\u{4}", "a"),
      ("\u{4}", nil), ("a\u{3}", nil), ("a\u{1C}", nil),
    ] {
      var lines = lines().makeAsyncIterator()
      async let line = lines.next()
      _ = try #require(await onDedicatedThread { keyboard.screen(until: "Prompt: ") })
      keyboard.type(keys)
      #expect(await line == expected.map { Secret($0) })
      #expect(keyboard.echoes)
    }
  }

  @Test("A cancelled wait for a line of input restores the echo")
  func cancelledLines() async throws {
    let reading = Task { [lines = lines()] in await lines.first { _ in true } }
    _ = try #require(await onDedicatedThread { keyboard.screen(until: "Prompt: ") })
    #expect(!keyboard.echoes)
    reading.cancel()
    #expect(await reading.value == nil)
    #expect(keyboard.echoes)
  }
}

/// Does what blocks where it takes no thread from the pool that all tests share.
func onDedicatedThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { caller in
    DispatchQueue(label: "acct.tests.blocking").async { caller.resume(returning: body()) }
  }
}
