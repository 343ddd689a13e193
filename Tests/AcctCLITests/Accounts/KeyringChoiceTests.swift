import AcctPorts
import AcctTestSupport
import Testing

@Suite("Choosing an account in switch on a terminal")
struct KeyringChoiceTests {
  let record = RecordedWorld()

  /// Adds accounts in the order in which they are listed, the first of them active.
  private func add(_ names: [String]) async {
    for name in names { #expect(await record.add(Handoffs.bearer(name), "--name", name) == 0) }
    if let first = names.first { #expect(await record.acct("switch", first) == 0) }
    record.set("TERM", to: "xterm")
  }

  private func active() async -> String {
    #expect(await record.acct("token") == 0)
    return String(record.out.dropFirst("opaque-".count).dropLast())
  }

  @Test(
    "The choice of switch takes arrows, letters, numbers and parts of names",
    arguments: [
      ([.down, .enter], "bob"), ([.text("j"), .text("j"), .enter], "carol"), ([.up, .enter], "kate"),
      ([.text("k"), .text("k"), .text("j"), .enter], "kate"), ([.end, .up, .enter], "carol"),
      ([.end, .home, .enter], "alice"), ([.text("3"), .enter], "carol"), ([.text("o"), .text("b"), .enter], "bob"),
      ([.text("c"), .up, .enter], "bob"), ([.text("C"), .text("a"), .enter], "carol"),
      ([.text("/"), .text("k"), .enter], "kate"), ([.text("z"), .enter, .backspace, .text("b"), .enter], "bob"),
      ([.text("x"), .text("y"), .eraseLine, .text("4"), .enter], "kate"), ([.pageDown, .other, .enter], "kate"),
      ([.pageDown, .pageUp, .down, .enter], "bob"),
    ] as [([Keystroke], String)]
  )
  func keys(keys: [Keystroke], name: String) async {
    await add(["alice", "bob", "carol", "kate"])
    record.press(keys)
    #expect(await record.acct("switch") == 0)
    #expect(record.err == ["acct: \(name) is active"])
    #expect(await active() == name)
  }

  @Test(
    "The choice of switch ends at Esc, Ctrl-C or a closed terminal with exit 3 and changes nothing",
    arguments: [[.down, .cancel], [.text("b"), .cancel, .enter], [.down]] as [[Keystroke]]
  )
  func cancelled(keys: [Keystroke]) async {
    await add(["alice", "bob", "carol"])
    record.press(keys)
    #expect(await record.acct("switch") == 3)
    #expect(await active() == "alice")
  }

  @Test("A number in the choice of switch selects that account, not one whose number begins with it")
  func numbers() async {
    await add((1...12).map { "account-\($0 + 10)" })
    record.press([.text("1"), .enter])
    #expect(await record.acct("switch") == 0)
    #expect(await active() == "account-11")
    record.press([.text("1"), .text("2"), .enter])
    #expect(await record.acct("switch") == 0)
    #expect(await active() == "account-22")
  }

  @Test("The choice of switch shows the lines around the mark if there are more accounts than lines")
  func scrolling() async {
    await add((10..<50).map { "account-\($0)" })
    record.set("NO_COLOR", to: "1")
    record.press([.up, .cancel])
    #expect(await record.acct("switch") == 3)
    #expect(record.frames.map(\.count) == [23, 23])
    #expect(record.frames.first?.contains { $0.contains("account-10") } == true)
    #expect(record.frames.last?.contains { $0.hasPrefix(">") && $0.contains("account-49") } == true)
    #expect(record.frames.last?.contains { $0.contains("account-10") } == false)
  }

  @Test("The choice of switch is a question in lines on a dumb terminal", arguments: ["dumb", ""])
  func dumb(term: String) async {
    await add(["alice", "bob", "carol"])
    record.set("TERM", to: term)
    record.press([.down, .enter])
    record.answer("3")
    #expect(await record.acct("switch") == 0)
    #expect(record.frames.isEmpty)
    #expect(await active() == "carol")
  }

  @Test("The choice of switch is not offered with --no-input")
  func noInput() async {
    await add(["alice", "bob", "carol"])
    record.press([.down, .enter])
    #expect(await record.acct("switch", "--no-input") == 64)
    #expect(record.frames.isEmpty)
  }
}
