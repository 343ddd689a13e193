import AcctTestSupport
import Glibc
import Testing

@Suite("A module that misbehaves")
struct HostileModuleTests {
  private let folder: TemporaryFolder
  private let tool: TokenTool

  init() throws {
    folder = try TemporaryFolder()
    tool = try TokenTool()
  }

  private func uri(_ faults: String...) async throws -> String { try await HostileModule.uri(faults, in: folder) }

  @Test("A module without faults is used: its curve by name, its point bare, its labels with a zero")
  func works() async throws {
    let uri = try await uri("FAULT_NONE")
    let key = try #require(
      PrintedKey(try await tool.answer("take", "pkcs11:object=made-up?\(uri.split(separator: "?")[1])"))
    )
    #expect(key.x.hasPrefix("6b17d1f2"))
    #expect(key.uri.contains("token=hostile;serial=1;object=made-up;id=%01?"))
    let signed = try await tool.answer("sign", key.uri)
    #expect(signed == "signed \(String(repeating: "11", count: 64))")
  }

  @Test(
    "A fault is a failure of its kind",
    arguments: [
      ("FAULT_NULL", "unsuitable"), ("VERSION={1,0}", "unsuitable"), ("VERSION={9,9}", "unsuitable"),
      ("FAULT_MISSING", "malformedReply"), ("FAULT_GENERAL", "failed"), ("FAULT_SLOTS", "malformedReply"),
      ("FAULT_REMOVED", "absent"), ("FAULT_OBJECTS", "malformedReply"), ("FAULT_LENGTH", "malformedReply"),
      ("FAULT_GROWTH", "malformedReply"), ("SIGNATURE_LENGTH=100", "malformedReply"),
      ("SIGNATURE_LENGTH=63", "malformedReply"), ("SIGN_ANSWER=CKR_DEVICE_REMOVED", "absent"),
      ("SIGN_ANSWER=CKR_KEY_HANDLE_INVALID", "gone"), ("SIGN_ANSWER=CKR_FUNCTION_CANCELED", "cancelled"),
      ("SIGN_ANSWER=CKR_GENERAL_ERROR", "failed"),
    ]
  )
  func fault(fault: String, failure: String) async throws {
    let answer = try await tool.answer("sign", try await uri(fault))
    #expect(answer.hasPrefix("failure \(failure)"), "\(fault): \(answer)")
  }

  @Test("A file that is no module, and one that is not there, are unsuitable")
  func noModule() async throws {
    let text = try folder.file("text.so", containing: "no library\n")
    for path in [text, "\(folder.path)/missing.so", "/lib/x86_64-linux-gnu/libm.so.6"] {
      let answer = try await tool.answer("sign", "pkcs11:token=a?module-path=\(path)")
      #expect(answer.hasPrefix("failure unsuitable("), "\(answer)")
    }
  }

  @Test("A module that others can write, or in a folder that they can write to, is not loaded")
  func openModule() async throws {
    let uri = try await uri("FAULT_NONE")
    let path = "\(folder.path)/hostile.so"
    for (open, mode, closed, reason) in [
      (path, 0o777, 0o755, "its group or others can write to it: run `chmod go-w \(path)`"),
      (
        folder.path, 0o777, 0o700,
        "its group or others can write to the folder \(folder.path): run `chmod go-w \(folder.path)`"
      ),
    ] as [(String, mode_t, mode_t, String)] {
      try #require(unsafe chmod(open, mode) == 0)
      #expect(try await tool.answer("sign", uri) == "failure unsuitable(reason: \"\(path): \(reason)\")")
      try #require(unsafe chmod(open, closed) == 0)
    }
    #expect(try await tool.answer("sign", uri).hasPrefix("signed "))
  }

  @Test("What a module prints is not in the output")
  func noise() async throws {
    let output = try await tool.output("sign", try await uri("FAULT_NOISE"), [])
    #expect(output.text.hasPrefix("signed "))
    #expect(!output.text.contains("foreign"))
    #expect(output.standardError.isEmpty)
  }

  @Test("A PIN that is locked is asked for no more, one that is nearly locked says so")
  func lockedPIN() async throws {
    let login = "CKF_TOKEN_INITIALIZED|CKF_LOGIN_REQUIRED"
    let wrong = try await uri("TOKEN_FLAGS=(\(login))", "PIN_ANSWER=CKR_PIN_INCORRECT")
    #expect(try await tool.answer("sign", wrong) == "failure wrongPIN(triesLeft: Optional(1))")
    let locking = try await uri("TOKEN_FLAGS=(\(login))", "PIN_ANSWER=CKR_PIN_LOCKED")
    #expect(try await tool.answer("sign", locking) == "failure lockedOut")
    let locked = try await uri("TOKEN_FLAGS=(\(login)|CKF_USER_PIN_LOCKED)")
    #expect(try await tool.run("sign", locked, "pin=1") == ["failure lockedOut"])
  }

  @Test("A key that wants its PIN again for each signature gets it, and the person is asked once")
  func alwaysAuthenticates() async throws {
    let uri = try await uri("TOKEN_FLAGS=(CKF_TOKEN_INITIALIZED|CKF_LOGIN_REQUIRED)")
    let lines = try await tool.run("sign", uri, "pin=1")
    #expect(lines.count == 2)
    #expect(lines.last?.hasPrefix("signed ") == true)
  }

  @Test("A token with a PIN pad gets no PIN, and no person is asked here")
  func pinPad() async throws {
    let flags = "CKF_TOKEN_INITIALIZED|CKF_LOGIN_REQUIRED|CKF_PROTECTED_AUTHENTICATION_PATH"
    let lines = try await tool.run("sign", try await uri("TOKEN_FLAGS=(\(flags))"))
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("signed ") == true)
  }

  @Test("A token that waits for a touch has it asked for once, and signs then")
  func touched() async throws {
    let file = "\(folder.path)/touched"
    let uri = try await uri("WAITS_FOR=\"\(file)\"")
    let lines = try await tool.run("sign", uri, "touch-after=1", "touched=\(file)")
    #expect(lines.count == 2)
    #expect(lines.first == "asked for a touch")
    #expect(lines.last?.hasPrefix("signed ") == true)
  }

  @Test("A touch that does not come is not waited for without end")
  func notTouched() async throws {
    let uri = try await uri("WAITS_FOR=\"\(folder.path)/never\"")
    let lines = try await tool.run("sign", uri, "touch-after=1", "limit=3000")
    #expect(lines.last == "failure notTouched")
  }

  @Test("A module whose call never returns does not keep the process from ending")
  func hangs() async throws {
    let answer = try await tool.answer("sign", try await uri("FAULT_HANGS"), "limit=500")
    #expect(answer.hasPrefix("failure failed(reason: \"the module "), "\(answer)")
    #expect(answer.hasSuffix(" does not answer\")"))
  }

  @Test("A module's thread that is still at its end does not change how the process ends")
  func slowEnd() async throws {
    let output = try await tool.output("sign", try await uri("FAULT_SLOW_END"), [])
    #expect(output.text.hasPrefix("signed 11"), "\(output.text)")
    #expect(output.status == 0)
  }

  @Test("A token that another process uses is busy for one who only looks, after a moment")
  func busy() async throws {
    let file = "\(folder.path)/touched"
    let uri = try await uri("WAITS_FOR=\"\(folder.path)/go\"")
    let holder = try RunningProcess(tool.command("sign", uri, ["touch-after=1", "touched=\(file)"]))
    try await holder.ready { unsafe access(file, F_OK) == 0 }
    #expect(try await tool.answer("list", uri).hasSuffix(" busy"))
    _ = try folder.file("go", containing: "")
    #expect(await holder.ended() == 0)
  }

  @Test(
    "A key of which the token denies one kind of protection may have copies",
    arguments: ["CKA_LOCAL", "CKA_ALWAYS_SENSITIVE", "CKA_NEVER_EXTRACTABLE"]
  )
  func copies(attribute: String) async throws {
    let plain = try #require(PrintedKey(try await tool.answer("take", try await uri("FAULT_NONE"))))
    #expect(!plain.mayHaveCopies)
    let key = try #require(PrintedKey(try await tool.answer("take", try await uri("DENIED=\(attribute)"))))
    #expect(key.mayHaveCopies)
  }

  @Test("A security key that gives up waiting was not touched")
  func gaveUp() async throws {
    let file = "\(folder.path)/touched"
    let uri = try await uri("WAITS_FOR=\"\(file)\"", "SIGN_ANSWER=CKR_GENERAL_ERROR")
    let lines = try await tool.run("sign", uri, "touch-after=1", "touched=\(file)")
    #expect(lines.last == "failure notTouched")
  }

  @Test("A process that is killed with a token's lock leaves it to the next one")
  func killed() async throws {
    let file = "\(folder.path)/touched"
    let uri = try await uri("WAITS_FOR=\"\(folder.path)/go\"")
    let holder = try RunningProcess(tool.command("sign", uri, ["touch-after=1", "touched=\(file)"]))
    try await holder.ready { unsafe access(file, F_OK) == 0 }
    holder.send(SIGKILL)
    _ = await holder.ended()
    _ = try folder.file("go", containing: "")
    #expect(try await tool.answer("sign", uri).hasPrefix("signed "))
  }
}
