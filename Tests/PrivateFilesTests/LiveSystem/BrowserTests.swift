import AcctPorts
import Glibc
import LiveSystem
import Testing

@Suite("Opening a browser")
struct BrowserTests {
  private static let address = #"https://issuer.example/authorize?a=1&b=%20%s'"$(id)`;#*\"#

  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// A command that does what a shell script says.
  ///
  /// The script is not run as a program: the kernel refuses that while it is open for writing, as
  /// it still may be in another test's child that is about to be something else.
  private func script(_ name: String, _ text: String) throws -> String { try "sh \(scratch.write(text, to: name))" }

  /// Opens the address, with as much time to fail as a busy machine can need.
  private func opens(_ browser: String?, failingWithin grace: Duration = .seconds(60)) async -> Bool {
    await Browser.live(undoing: .none, failingWithin: grace) { $0 == "BROWSER" ? browser : nil }.open(Self.address)
  }

  @Test("The browser gets the address as its one argument, unchanged")
  func argument() async throws {
    let browser = try script("b", "printf '%s|' \"$#\" \"$@\" >'\(scratch.path(of: "out"))'")
    #expect(await opens(browser))
    #expect(scratch.text(of: "out") == "1|\(Self.address)|")
  }

  @Test("The browser gets the address in place of %s, between words of its own")
  func placeholder() async throws {
    let browser = try script("b", "printf '%s|' \"$@\" >'\(scratch.path(of: "out"))'")
    #expect(await opens(" \(browser)  --new --url=%s *  "))
    #expect(scratch.text(of: "out") == "--new|--url=\(Self.address)|*|")
  }

  @Test("A browser works as long as it has not failed")
  func verdicts() async throws {
    #expect(await opens("sh -c exit"))
    #expect(await opens("sleep 3 --") == false)
    #expect(await opens(try script("failing", "exit 1")) == false)
    #expect(await opens(try script("killed", "kill -KILL $$")) == false)
    #expect(await opens(scratch.path(of: "nowhere")) == false)
    // Still at work when its time to fail is over.
    let slow = try script("slow", "exec sleep 3")
    #expect(await opens(slow, failingWithin: .milliseconds(10)))
  }

  @Test("The first browser that works is used")
  func alternatives() async throws {
    let good = try script("good", "echo good >>'\(scratch.path(of: "out"))'")
    let other = try script("other", "echo other >>'\(scratch.path(of: "out"))'")
    #expect(await opens("false:\(scratch.path(of: "nowhere")):\(good):\(other)"))
    #expect(scratch.text(of: "out") == "good\n")
    #expect(await opens("false:false") == false)
  }

  @Test("No browser is used without a named command and without a desktop")
  func none() async {
    #expect(await opens(nil) == false)
    #expect(await opens(": :") == false)
  }

  @Test("The desktop's browser is used if none is named")
  func desktop() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let scratch = try ScratchFolder()
      try scratch.write("#!/bin/sh\necho \"$@\" >'\(scratch.path(of: "out"))'\n", to: "xdg-open", mode: 0o700)
      unsafe setenv("PATH", "\(scratch.path):/usr/bin:/bin", 1)
      for variable in ["DISPLAY", "WAYLAND_DISPLAY"] {
        let browser = Browser.live(undoing: .none, failingWithin: .seconds(60)) { $0 == variable ? ":0" : nil }
        print(await browser.open("https://\(variable)"))
        print(scratch.text(of: "out") ?? "")
      }
    }
    #expect(
      result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }?
        .contains("true\nhttps://DISPLAY\n\ntrue\nhttps://WAYLAND_DISPLAY\n") == true
    )
  }

  @Test("A browser inherits only the environment of this process")
  func inheritance() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let scratch = try ScratchFolder()
      try scratch.write("leak", to: "leak")
      let leak = unsafe open(scratch.path(of: "leak"), O_RDONLY)
      umask(0o077)
      unsafe setenv("ACCT_VAULT_PASSPHRASE_FILE", "/secret", 1)
      unsafe setenv("ACCT_VAULT_PASSPHRASE_FILES", "another", 1)
      try scratch.write(
        """
        #!/bin/sh
        {
          umask
          readlink /proc/$$/fd/0 /proc/$$/fd/2 /proc/$$/fd/\(leak)
          cut -d' ' -f6 /proc/$$/stat | sed "s/^$$\\$/session/"
          cut -d' ' -f7 /proc/$$/stat
          ulimit -S -c
          env | grep '^ACCT_VAULT'
        } >'\(scratch.path(of: "out"))'
        """,
        to: "b",
        mode: 0o700
      )
      let hardening = Hardening(mask: 0o027, coreLimit: 0)
      let browser = Browser.live(undoing: hardening, failingWithin: .seconds(60)) {
        $0 == "BROWSER" ? scratch.path(of: "b") : nil
      }
      _ = await browser.open("x")
      print(scratch.text(of: "out") ?? "")
    }
    let expected = """
      0027
      /dev/null
      /dev/null
      session
      0
      0
      ACCT_VAULT_PASSPHRASE_FILES=another

      """
    let output = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } ?? ""
    #expect(output.contains(expected), "\(output)")
  }

  @Test("A browser starts with no signal blocked or ignored")
  func signals() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let scratch = try ScratchFolder()
      signal(SIGPIPE, SIG_IGN)
      signal(SIGINT, SIG_IGN)
      // No shell, since it would set its signals right.
      let browser = Browser.live(undoing: .none, failingWithin: .seconds(60)) {
        $0 == "BROWSER" ? "cp /proc/self/status" : nil
      }
      _ = await browser.open(scratch.path(of: "out"))
      for line in (scratch.text(of: "out") ?? "").split(separator: "\n")
      where line.hasPrefix("SigBlk") || line.hasPrefix("SigIgn") { print(line.suffix(4)) }
    }
    let output = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } ?? ""
    #expect(output.contains("0000\n0000\n"), "\(output)")
  }
}

extension Hardening {
  fileprivate static let none = Hardening(mask: 0o022, coreLimit: 0)
}
