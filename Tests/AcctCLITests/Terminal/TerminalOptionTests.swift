import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Options and variables of the terminal")
struct TerminalOptionTests {
  let record = RecordedWorld()

  private func isColoured(_ arguments: String...) async -> Bool {
    record.clear()
    #expect(await record.run(arguments) == 0)
    return record.out.contains("\u{1B}")
  }

  @Test("Colour is for terminals that support it, and NO_COLOR and --no-color end it")
  func colour() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    for command in ["list", "status"] {
      record.setColumns(80)
      record.set("NO_COLOR", to: "")
      record.set("TERM", to: "xterm")
      #expect(await isColoured(command))
      #expect(!(await isColoured(command, "--no-color")))
      #expect(!(await isColoured("--no-color", command)))
      #expect(!(await isColoured(command, "--json")))
      record.set("TERM", to: "dumb")
      #expect(!(await isColoured(command)))
      record.set("TERM", to: "")
      #expect(!(await isColoured(command)))
      record.set("TERM", to: "xterm")
      record.set("NO_COLOR", to: "1")
      #expect(!(await isColoured(command)))
      record.set("NO_COLOR", to: "")
      record.setColumns(nil)
      #expect(!(await isColoured(command)))
    }
    record.setColumns(80)
    #expect(await isColoured())
    #expect(!(await isColoured("--no-color")))
  }

  @Test("The variable COLUMNS precedes the terminal's width, and has no effect without a terminal")
  func columns() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    func widest() async -> Int {
      #expect(await record.acct("list") == 0)
      return record.out.split(separator: "\n").map(\.count).max() ?? 0
    }
    record.setColumns(80)
    record.set("LANG", to: "C.UTF-8")
    let usual = await widest()
    record.set("COLUMNS", to: "50")
    #expect(await widest() <= 50)
    #expect(usual > 50 && usual <= 80)
    for unusable in ["0", "-1", "wide"] {
      record.set("COLUMNS", to: unusable)
      #expect(await widest() == usual)
    }
    record.set("COLUMNS", to: "50")
    record.setColumns(nil)
    #expect(await widest() == usual)
  }

  @Test("A window of any small width shows every state and stops no command")
  func tiny() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    for columns in 1...20 {
      record.setColumns(columns)
      #expect(await record.acct("list") == 0)
      #expect(record.out.contains("valid"))
      #expect(await record.acct("status") == 0)
      #expect(await record.acct() == 0)
    }
  }

  @Test("An error is ASCII only in the C locale, and JSON stays JSON whatever it contains")
  func plainErrors() async {
    #expect(await record.add(Handoffs.bearer(), "--name", "grün") == 0)
    #expect(await record.acct("status", "zoë") == 5)
    #expect(record.err.joined().contains("zo\\u{eb}"))
    #expect(record.err.joined().contains("gr\\u{fc}n"))
    #expect(await record.acct("status", "--json", "zoë\u{115F}") == 5)
    let error = try? JSON(parsing: Array(record.err.joined().utf8)).objectValue?["error"]
    #expect(error?.objectValue?["message"]?.stringValue?.contains("zoë") == true)
    #expect(!record.err.joined().unicodeScalars.contains("\u{115F}"))
    record.set("LC_ALL", to: "de_DE.UTF-8")
    #expect(await record.acct("status", "zoë") == 5)
    #expect(record.err.joined().contains("zoë"))
  }

  @Test("The option --verbose prints each step and no secret")
  func verbose() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("header", "https://pds.example/a?secret=1", "--verbose") == 0)
    let lines = record.err.joined(separator: "\n")
    #expect(lines.contains("acct: secret-service: read oauth."))
    #expect(!lines.contains("secret=1"))
    #expect(!lines.contains("eyJ"))
    #expect(await record.acct("header", "https://pds.example/a", "-v", "-q") == 0)
    #expect(record.err.isEmpty)
  }

  @Test("The option --verbose tells which rule chose the account, and why its token is used or renewed")
  func verboseDecisions() async {
    let handoff = Handoffs.dpop(changing: ["issuer": "https://as.example", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    let tokens = RecordedServer.tokens("b", ["token_type": "DPoP"])
    let server = RecordedServer(record, tokens: tokens)
    let name = "alice.example.com"
    func decisions(_ arguments: String...) async -> [String] {
      record.clear()
      #expect(await record.run(arguments + ["--verbose"]) == 0, "\(record.err)")
      return record.err.filter { $0.hasPrefix("acct: using") || $0.contains("renewing") }
    }
    let url = "https://pds.example/a"
    let chosen = "acct: using \(name): it is the active account"
    #expect(
      await decisions("header", url) == [chosen, "acct: using the stored token of \(name): valid for 1 h"]
    )
    #expect(await decisions("refresh", "--force") == [chosen, "acct: renewing \(name): the user asked for it"])
    record.now += 3_400
    server.set("/token", tokens)
    #expect(
      await decisions("token", "-a", name) == [
        "acct: using \(name): chosen by the command line",
        "acct: renewing \(name): the token expires in 3 min 20 s",
      ]
    )
    record.now += 4_000
    server.set("/token", tokens)
    #expect(await decisions("token").last == "acct: renewing \(name): the token has expired")
  }

  @Test("The option --verbose tells why a 401 led to a renewal, and why another did not")
  func verboseRejections() async {
    let handoff = Handoffs.dpop(changing: ["issuer": "https://as.example", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    let server = RecordedServer(record, tokens: RecordedServer.tokens("b", ["token_type": "DPoP"]))
    server.set("/x", .json("{}", 401), .json("{}", 401))
    record.clear()
    #expect(await record.run(["request", "https://pds.example/x", "--verbose"]) != 0)
    let decisions = record.err.filter { $0.contains("renewing") || $0.contains("sending again") }
    #expect(
      decisions == [
        "acct: renewing alice.example.com: the server rejected this token",
        "acct: sending again to https://pds.example with the new token",
        "acct: not renewing alice.example.com after the answer 401: this request has done it already",
      ],
      "\(record.err)"
    )
    #expect(await record.add(Handoffs.bearer()) == 0)
    server.set("/x", .json("{}", 401))
    record.clear()
    #expect(await record.run(["request", "-a", "bob.example.com", "https://issuer.example/x", "-v"]) != 0)
    let last = record.err.last { $0.contains("renewing") }
    #expect(
      last == "acct: not renewing bob.example.com after the answer 401: there is nothing to renew it with",
      "\(record.err)"
    )
  }

  @Test("The option --verbose prints each request by method and URL without its query, and its result")
  func verboseRequests() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.now += 4000
    record.serve { request throws(HTTPFailure) in
      guard request.url.path.contains("well-known") || request.url.path.contains("plc") else { throw .timedOut }
      return HTTPResponse(status: 404, fields: [], body: Secret(""))
    }
    #expect(await record.acct("token", "--verbose") != 0)
    #expect(!record.requests.isEmpty)
    for request in record.requests {
      let line = "acct: \(request.method) \(request.url.origin)\(request.url.path): "
      #expect(record.err.contains { $0.hasPrefix(line) })
    }
    #expect(!record.err.joined().contains("refresh-alice"))
    #expect(await record.acct("token") != 0)
    #expect(!record.err.contains { $0.contains(": 404") && $0.hasPrefix("acct: GET") })
  }
}
