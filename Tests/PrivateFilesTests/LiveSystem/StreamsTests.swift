import Secrets
import AcctPorts
import Glibc
import LiveSystem
import PrivateFiles
import Testing

@Suite("The live streams")
struct LiveStreamsTests {
  @Test("A full standard output is reported")
  func full() throws {
    let full = try Descriptor.open("/dev/full", O_WRONLY)
    let streams = Streams.live(output: full.number)
    #expect(!streams.outputIsTerminal)
    #expect(
      throws: StreamFailure.failed(name: "standard output", reason: "no space left on device")
    ) { try streams.output(Secret("x")) }
  }

  @Test("A closed standard output is reported")
  func closed() {
    let streams = Streams.live(output: -1)
    #expect(throws: StreamFailure.failed(name: "standard output", reason: "bad file descriptor")) {
      try streams.output(Secret("x"))
    }
  }

  @Test("A notice is one line without control sequences for the terminal")
  func notices() throws {
    let scratch = try ScratchFolder()
    try scratch.write("", to: "err")
    let file = try Descriptor.open(scratch.path(of: "err"), O_WRONLY | O_APPEND)
    let streams = Streams.live(error: file.number)
    streams.notice("acct: grüße an 世界 👩‍🚀")
    streams.notice("a\u{1B}[2Jb\nc\td\re\u{7F}\u{9B}f\u{202E}g\u{2028}\0")
    streams.notice("")
    #expect(
      scratch.text(of: "err") == """
        acct: grüße an 世界 👩‍🚀
        a\\u{1b}[2Jb\\nc\\td\\re\\u{7f}\\u{9b}f\\u{202e}g\\u{2028}\\u{0}


        """
    )
  }

  @Test("The width of the terminal is read at any time, and is missing if the terminal has none")
  func columns() throws {
    let terminal = try PseudoTerminal()
    let output = try Descriptor.open(terminal.device, O_WRONLY | O_NOCTTY)
    let streams = Streams.live(output: output.number)
    #expect(streams.outputIsTerminal)
    #expect(streams.columns() == nil)
    for columns in [97, 40] {
      terminal.resize(columns: UInt16(columns), rows: 24)
      #expect(streams.columns() == columns)
    }
    #expect(Streams.live(output: -1).columns() == nil)
  }

  @Test("A file or standard input is read up to a limit")
  func input() throws {
    let scratch = try ScratchFolder()
    try scratch.write("12345", to: "in")
    let file = try Descriptor.open(scratch.path(of: "in"), O_RDONLY)
    let streams = Streams.live(input: file.number)
    #expect(try streams.input("-", 5) == Secret("12345"))
    #expect(try streams.input(scratch.path(of: "in"), 5) == Secret("12345"))
    #expect(throws: StreamFailure.tooLarge(name: scratch.path(of: "in"), limit: 4)) {
      try streams.input(scratch.path(of: "in"), 4)
    }
    #expect(
      throws: StreamFailure.failed(name: scratch.path(of: "no"), reason: "no such file or directory")
    ) { try streams.input(scratch.path(of: "no"), 5) }
    #expect(throws: StreamFailure.failed(name: scratch.path, reason: "it is not a regular file")) {
      try streams.input(scratch.path, 5)
    }
  }
}
