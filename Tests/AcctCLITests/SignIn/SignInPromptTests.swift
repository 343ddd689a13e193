import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Synchronization
import Testing

/// What a person sees and can press while a sign-in waits for the browser.
@Suite("A sign-in that waits for a person")
struct SignInPromptTests {
  private let record = RecordedWorld()
  private let browser = RehearsedBrowser()
  private let copied = Clipboard()

  private func world() -> World {
    let metadata: JSONObject = ["authorization_endpoint": .string("\(RecordedServer.issuer)/authorize")]
    _ = RecordedServer(record, metadata: metadata, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    record.set("TERM", to: "xterm")
    record.showOnTerminal()
    // Someone is at the terminal.
    record.press([])
    var world = browser.world(of: record)
    world.streams.copy = { text in self.copied.texts.withLock { $0.append(text) } }
    return world
  }

  private static let line = ["add", "--issuer", RecordedServer.issuer, "--client-id", "client"]

  @Test("A browser sign-in prints its address before the browser opens, and how to cancel")
  func address() async {
    var world = world()
    let open = world.browser.open
    world.browser.open = { [record] address in
      #expect(record.err == ["acct: sign in at this address (Ctrl-C to cancel):", address])
      return await open(address)
    }
    #expect(await Acct.run(Self.line, in: world) == 0, "\(record.err)")
    #expect(
      record.err.contains("acct: it is open in your browser, at as.example: sign in there; c copies the address"),
      "\(record.err)"
    )
  }

  @Test("A browser is chosen for one time with --browser")
  func otherBrowser() async {
    var world = world()
    let open = world.browser.open
    let commands = Mutex<[String]>([])
    world.browser = Browser(
      open: { _ in
        Issue.record("the usual browser was opened")
        return false
      },
      openWith: { address, command in
        commands.withLock { $0.append(command) }
        return await open(address)
      }
    )
    #expect(await Acct.run(Self.line + ["--browser", "firefox --private-window"], in: world) == 0, "\(record.err)")
    #expect(commands.withLock { $0 } == ["firefox --private-window"])
    #expect(await Acct.run(["login", "--browser", "lynx"], in: world) == 0, "\(record.err)")
    #expect(commands.withLock { $0 }.last == "lynx")
    for options in [["--browser", "x", "--no-browser"], ["--browser", " "]] {
      #expect(await Acct.run(Self.line + options, in: world) == 64)
    }
  }

  @Test("The key c copies the address to the terminal's clipboard while the browser is waited for")
  func key() async {
    var world = world()
    let (pressed, presses) = AsyncStream.makeStream(of: Void.self)
    world.streams.copy = { text in
      self.copied.texts.withLock { $0.append(text) }
      presses.yield()
    }
    world.terminal.keys = {
      AsyncStream { keys in
        keys.yield(.text("x"))
        keys.yield(.text("c"))
      }
    }
    // The person comes back only after the copy was made.
    let listen = world.listener.listen
    world.listener = CallbackListener { redirect throws(ListenFailure) in
      let listening = try await listen(redirect)
      return Listening(
        port: listening.port,
        next: {
          for await _ in pressed { break }
          return await listening.next()
        },
        close: listening.close
      )
    }
    #expect(await Acct.run(Self.line, in: world) == 0, "\(record.err)")
    #expect(copied.texts.withLock { $0 } == browser.addresses)
    #expect(record.err.contains("acct: the address is on the clipboard, if this terminal allows that"))
  }

  @Test("The letter c alone copies the address where a callback can be pasted, and is no wrong callback")
  func letter() async {
    let world = world()
    record.answer("c", "nonsense")
    #expect(await Acct.run(Self.line + ["--no-browser"], in: world) == 3)
    let address = record.err.first { $0.hasPrefix("https://") }
    #expect(copied.texts.withLock { $0 } == [address])
    #expect(record.err.count { $0.contains("this is not the callback") } == 1, "\(record.err)")
    #expect(record.err.contains { $0.hasSuffix("c and Enter copy the one above") })
  }

  @Test("The key c copies the code of a device sign-in, and no secret")
  func code() async {
    var world = world()
    world.terminal.keys = { AsyncStream { $0.yield(.text("c")) } }
    world.clock.sleep = { [copied] seconds in
      // The server is asked after the person has pressed the key.
      for _ in 0..<100_000 where copied.texts.withLock(\.isEmpty) { await Task.yield() }
      return true
    }
    #expect(await Acct.run(Self.line + ["--device"], in: world) == 0, "\(record.err)")
    #expect(record.err.contains("acct: and enter this code (Ctrl-C to cancel, c to copy it):"), "\(record.err)")
    let code = record.err.firstIndex { $0.hasPrefix("acct: and enter this code") }.map { record.err[$0 + 1] }
    #expect(copied.texts.withLock { $0 } == [code])
  }
}

/// The texts that were handed to the terminal's clipboard.
private final class Clipboard: Sendable {
  let texts = Mutex<[String]>([])
}
