import AcctTestSupport
import StrictJSON
import Testing

@Suite("Bodies of acct request")
struct RequestBodyTests {
  private static let mib = 1 << 20

  @Test("The option -d takes text, @FILE and standard input, with the length of a short body")
  func sources() async throws {
    let server = try await FlowServer()
    let home = try await server.home()
    let folder = try TemporaryFolder()
    let file = try folder.file("body", containing: "body")
    let digest = "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5"
    for data in ["body", "@\(file)", "-", "@-"] {
      let echo = try await home.request(["\(server.url)/echo", "-d", data], input: "body")
      #expect(echo["sha256"] == .string(digest), "\(data)")
      #expect(echo.values(of: "Content-Length") == ["4"])
      #expect(echo["asked_first"] == false)
    }
    let empty = try await home.request(["\(server.url)/echo", "-d", "-"])
    #expect(empty.values(of: "Content-Length") == ["0"])
    // Its size is 0, whatever it holds.
    let version = try await home.request(["\(server.url)/echo", "-d", "@/proc/version"])
    let text = try await ChildProcess("cat", ["/proc/version"]).run().text
    #expect(version.values(of: "Content-Length") == ["\(text.utf8.count)"])
    let absent = "\(folder.path)/absent"
    let missing = try await home.acct("request", "\(server.url)/echo", "-d", "@\(absent)")
    #expect(missing.status == 65)
    #expect(missing.errorText.contains("can't read \(absent): no such file"))
  }

  @Test("A body of 64 MiB goes up and down in less memory than that", arguments: ["file", "stdin", "down"])
  func memory(_ way: String) async throws {
    let server = try await FlowServer()
    let home = try await server.home()
    let folder = try TemporaryFolder()
    let file = try folder.file("large", mebibytes: 64)
    let arguments =
      switch way {
      case "file": ["\(server.url)/echo", "-d", "@\(file)"]
      case "stdin": ["\(server.url)/echo", "-d", "-"]
      default: ["\(server.url)/bytes/\(64 * Self.mib)"]
      }
    let acct = home.command(["request"] + arguments)
    // Not from here: a child begins with its parent's peak.
    let measured = ChildProcess(
      "sh",
      [
        "-c", #"exec /usr/bin/time -f %M -o "$0" "$@" < "$INPUT""#, "\(folder.path)/peak", acct.program,
      ] + acct.arguments,
      environment: acct.environment.merging(["INPUT": file]) { $1 }
    )
    let output = try await measured.run()
    #expect(output.status == 0, "\(output.errorText)")
    let peak = try await ChildProcess("cat", ["\(folder.path)/peak"]).run().text
    let kib = try #require(Int(peak.dropLast()))
    #expect(kib < 48 * 1024, "\(kib) KiB")
    if way == "down" {
      #expect(output.standardOutput.count == 64 * Self.mib)
    } else {
      let echo = try #require(try JSON(parsing: output.standardOutput).objectValue)
      #expect(echo["length"] == .number(JSONNumber(Int64(64 * Self.mib))))
      #expect(echo["chunked"] == .bool(way == "stdin"))
      #expect(echo["asked_first"] == .bool(way == "stdin"))
    }
  }

  @Test("A large body from standard input survives a challenge, since acct announces it first")
  func challengedPipe() async throws {
    let server = try await FlowServer()
    let home = try AcctHome()
    let added = try await home.acct(
      "add",
      "--import",
      Product.source("Examples/alice.json"),
      "--allow-origin",
      server.url
    )
    try #require(added.status == 0, "\(added.errorText)")
    let body = String(repeating: "0123456789abcdef", count: 3 * Self.mib / 16)
    let echo = try await home.request(["\(server.url)/nonce", "-d", "-"], input: body)
    #expect(echo["length"] == .number(JSONNumber(Int64(body.utf8.count))))
    #expect(try await server.seen("/nonce") == 2)
  }

  @Test("The option -o writes the body to a file, also that of an error")
  func output() async throws {
    let server = try await FlowServer()
    let home = try await server.home()
    let folder = try TemporaryFolder()
    let file = try folder.file("out", containing: "before")
    #expect(try await home.acct("request", "\(server.url)/bytes/3", "-o", file).text.isEmpty)
    #expect(try await contents(file) == "xxx")
    #expect(try await home.acct("request", "\(server.url)/status/404", "-o", file).status == 1)
    #expect(try await contents(file) == "no: 404\n")
    #expect(try await home.acct("request", "\(server.url)/bytes/3", "-o", "-").text == "xxx")
    let nowhere = "\(folder.path)/no/where"
    let lost = try await home.acct("request", "\(server.url)/echo", "-o", nowhere)
    #expect(lost.status == 1)
    // Found out before anything was sent.
    #expect(try await server.seen("/echo") == 0)
  }

  @Test("An answer that is cut off exits 10 and leaves the file of -o unchanged")
  func cutOff() async throws {
    let server = try await FlowServer()
    let home = try await server.home()
    let folder = try TemporaryFolder()
    let file = try folder.file("out", containing: "before")
    let url = "\(server.url)/cut/1000"
    let output = try await home.acct("request", url, "-o", file)
    #expect(output.status == 10)
    #expect(output.errorText.contains("was cut off after 500 bytes: the connection was closed"))
    #expect(try await contents(file) == "before")
    let listed = try await ChildProcess("ls", ["-A", folder.path]).run().text
    #expect(listed == "out\n")
    // What is on standard output can't be taken back.
    let printed = try await home.acct("request", url)
    #expect(printed.status == 10)
    #expect(printed.standardOutput.count == 500)
  }

  private func contents(_ path: String) async throws -> String { try await ChildProcess("cat", [path]).run().text }
}
