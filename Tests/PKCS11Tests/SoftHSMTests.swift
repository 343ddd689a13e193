import AcctTestSupport
import Testing

@Suite("A key in SoftHSM")
struct SoftHSMTests {
  private static let digest = [UInt8](repeating: 0xAB, count: 32)

  @Test("A key is made where the URI names none, found again, and signs what OpenSSL verifies")
  func makes() async throws {
    let hsm = try await SoftHSM()
    let tool = try TokenTool(hsm)
    let made = try #require(PrintedKey(try await tool.answer("take", hsm.uri())))
    #expect(made.isNew)
    #expect(made.uri.contains("object=acct;id=%"))
    #expect(made.uri.contains("module-path=\(SoftHSM.module)"))
    let found = try #require(PrintedKey(try await tool.answer("take", made.uri)))
    #expect(!found.isNew)
    #expect((found.x, found.y, found.uri) == (made.x, made.y, made.uri))
    let signed = try await tool.answer("sign", made.uri)
    #expect(try await opensslVerifies(signed, of: Self.digest, by: made))
    let objects = try await hsm.tool(["--list-objects", "--type", "privkey"])
    #expect(objects.contains("Usage:      sign\n"))
    #expect(objects.contains("sensitive, always sensitive, never extractable, local"))
  }

  @Test("A key that pkcs11-tool made is taken by its label, by its id, and alone by neither")
  func takes() async throws {
    let hsm = try await SoftHSM()
    try await hsm.makeKey()
    let tool = try TokenTool(hsm)
    for attributes in ["", ";object=made-up", ";id=%01", ";object=made-up;id=%01;type=private"] {
      let key = try #require(PrintedKey(try await tool.answer("take", hsm.uri(attributes))))
      #expect(!key.isNew)
      #expect(key.uri.contains(";object=made-up;id=%01?"))
    }
    let key = try #require(PrintedKey(try await tool.answer("take", hsm.uri())))
    let signed = try await tool.answer("sign", hsm.uri(";object=made-up"))
    #expect(try await opensslVerifies(signed, of: Self.digest, by: key))
  }

  @Test("A key that its owner brought is used, and is said to have been elsewhere; one made here is not")
  func imported() async throws {
    let hsm = try await SoftHSM()
    let tool = try TokenTool(hsm)
    try await hsm.importKey(label: "brought", id: "02")
    let made = try #require(PrintedKey(try await tool.answer("take", hsm.uri(";object=made"))))
    #expect(!made.mayHaveCopies)
    let brought = try #require(PrintedKey(try await tool.answer("take", hsm.uri(";object=brought"))))
    #expect(brought.mayHaveCopies)
    let signed = try await tool.answer("sign", brought.uri)
    #expect(try await opensslVerifies(signed, of: Self.digest, by: brought))
    let listed = try await tool.run("list", hsm.uri()).compactMap(PrintedKey.init)
    #expect(listed.map { $0.mayHaveCopies == ($0.x == brought.x) } == [true, true])
  }

  @Test("A URI gives a new key its label and its id")
  func names() async throws {
    let hsm = try await SoftHSM()
    let tool = try TokenTool(hsm)
    let made = try await tool.answer("take", hsm.uri(";object=build%20host;id=%00%FF"))
    #expect(PrintedKey(made)?.uri.contains(";object=build%20host;id=%00%FF?") == true)
  }

  @Test(
    "A key of another kind is refused",
    arguments: [
      ("EC:secp384r1", ["--usage-sign"], "another curve than P-256"),
      ("RSA:2048", ["--usage-sign"], "not one of an elliptic curve"),
      ("EC:prime256v1", ["--usage-sign", "--usage-derive"], "may also derive other keys"),
      ("EC:prime256v1", ["--usage-sign", "--extractable"], "can be copied out of the token"),
    ]
  )
  func otherKind(type: String, arguments: [String], reason: String) async throws {
    let hsm = try await SoftHSM()
    try await hsm.makeKey(arguments, type: type)
    let answer = try await TokenTool(hsm).answer("take", hsm.uri(";object=made-up"))
    #expect(answer.hasPrefix("failure unsuitable("))
    #expect(answer.contains(reason), "\(answer)")
  }

  @Test("A wrong PIN is told as one, and asked for once")
  func wrongPIN() async throws {
    let hsm = try await SoftHSM()
    let lines = try await TokenTool(hsm).run("take", hsm.uri(), "pin=wrong")
    #expect(
      lines == ["asked for the PIN of acct, file none", "failure wrongPIN(triesLeft: nil)"]
    )
  }

  @Test("The file of the URI is handed to the one who gives the PIN, and kept with the key")
  func pinFile() async throws {
    let hsm = try await SoftHSM()
    let lines = try await TokenTool(hsm).run("take", hsm.uriWithPIN(), "pin=\(SoftHSM.pin)")
    #expect(lines.first == "asked for the PIN of acct, file \(hsm.pinFile)")
    let made = try #require(PrintedKey(lines.last ?? ""))
    #expect(made.uri.hasSuffix("&pin-source=file:\(hsm.pinFile)"))
  }

  @Test("Without a PIN nothing is tried")
  func noPIN() async throws {
    let hsm = try await SoftHSM()
    let lines = try await TokenTool(hsm).run("take", hsm.uri())
    #expect(lines.last == #"failure noPIN(reason: "nobody can be asked")"#)
  }

  @Test("A token that is away is told as absent, a key that is away as gone")
  func away() async throws {
    let hsm = try await SoftHSM(tokens: ["acct", "other"])
    let tool = try TokenTool(hsm)
    let made = try #require(PrintedKey(try await tool.answer("take", hsm.uri())))
    #expect(try await tool.answer("remove", made.uri) == "removed")
    #expect(try await tool.answer("sign", made.uri) == "failure gone")
    #expect(try await tool.answer("remove", made.uri) == "removed")
    #expect(!(try await hsm.tool(["--list-objects"]).contains("Key Object")))
    try await hsm.removeToken("acct")
    let gone = try await tool.answer("sign", made.uri)
    #expect(gone == #"failure absent(reason: "no token matches the URI")"#)
  }

  @Test("A URI that two keys or two tokens match is refused, and both stay")
  func ambiguous() async throws {
    let hsm = try await SoftHSM(tokens: ["acct", "twin", "twin"])
    try await hsm.makeKey(id: "01")
    try await hsm.makeKey(id: "02")
    let tool = try TokenTool(hsm)
    for operation in ["take", "sign", "remove"] {
      let answer = try await tool.answer(operation, hsm.uri(";object=made-up"))
      #expect(answer.contains("2 keys of acct match the URI"), "\(answer)")
    }
    #expect(try await tool.answer("sign", hsm.uri(";object=made-up;id=%02")).hasPrefix("signed "))
    let twins = try await tool.answer("take", hsm.uri(token: "twin"))
    #expect(twins.contains("2 tokens match the URI; serial=NUMBER selects one"), "\(twins)")
  }

  @Test("Sixty processes at once all sign")
  func together() async throws {
    let hsm = try await SoftHSM()
    let tool = try TokenTool(hsm)
    let made = try #require(PrintedKey(try await tool.answer("take", hsm.uri())))
    let commands = (0..<60).map { _ in tool.command("sign", made.uri, ["pin=\(SoftHSM.pin)"]) }
    let outputs = try await withThrowingTaskGroup(of: String.self) { group in
      for command in commands { group.addTask { try await command.run(limit: .seconds(300)).text } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outputs.count { $0.contains("\nsigned ") } == 60)
    #expect(!outputs.contains { $0.contains("failure") })
  }

  @Test("The keys of a token are listed without its PIN, those that could be an account's")
  func lists() async throws {
    let hsm = try await SoftHSM()
    try await hsm.makeKey()
    try await hsm.makeKey(label: "rsa", id: "02", type: "RSA:2048")
    let lines = try await TokenTool(hsm).run("list", hsm.uri())
    #expect(lines.count == 2)
    #expect(lines.first == "slot \(SoftHSM.module) acct (SoftHSM project) ok")
    #expect(PrintedKey(lines.last ?? "")?.uri.contains("object=made-up;id=%01") == true)
  }
}
