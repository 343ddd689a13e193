import Release
import AcctModel
import AcctPrograms
import Secrets
import AcctProtocol
import Testing

@Suite("The words of git and docker")
struct HelperProtocolTests {
  private func git(_ lines: String..., operation: String = "get") throws -> HelperTask {
    let input = Secret(lines.map { "\($0)\n" }.joined())
    return try GitCredentials(HelperQuestion([operation], input)).task
  }

  @Test("Git's attributes name a URL and a user, whatever their order")
  func attributes() throws {
    let url = try HTTPURL("https://git.example:8443/")
    let target = HelperTarget(url, user: "alice")
    let host = "host=git.example:8443"
    #expect(try git("username=alice", host, "protocol=https", "a=b") == .get(target))
    #expect(try git("protocol=https", host) == .get(HelperTarget(url)))
    let parts = try HTTPURL("https://git.example:8443/a?b")
    #expect(try git("url=https://git.example:8443/a?b#c") == .get(HelperTarget(parts)))
  }

  @Test("Git hands back what was rejected as a password or as a credential")
  func rejected() throws {
    let target = HelperTarget(try HTTPURL("https://git.example/"))
    for line in ["password=p", "credential=p"] {
      let task = try git("protocol=https", "host=git.example", line, operation: "erase")
      #expect(task == .reject(target, Secret("p")))
    }
  }

  @Test("What git stores was accepted by its server, and what it stores of something else is ignored")
  func accepted() throws {
    let target = HelperTarget(try HTTPURL("https://git.example/"))
    #expect(
      try git("protocol=https", "host=git.example", "password=p", operation: "store") == .confirm(target, Secret("p"))
    )
    #expect(try git("host=git.example", "password=p", operation: "store") == .answered(HelperAnswer()))
    #expect(try git("protocol=https", "host=git.example", operation: "store") == .answered(HelperAnswer()))
    #expect(try git("broken", operation: "store") == .answered(HelperAnswer()))
  }

  @Test("An empty value clears git's lists, and a capability after it counts")
  func lists() throws {
    let lines = "capability[]=authtype\ncapability[]=\nprotocol=https\nhost=git.example\n"
    let credential = HelperCredential(
      try HTTPURL("https://git.example/"),
      fields: [],
      token: Secret("t"),
      form: .scheme("Bearer"),
      expiresAt: nil,
      now: .epoch
    )
    let cleared = try GitCredentials(HelperQuestion(["get"], Secret(lines)))
    #expect(try cleared.answer(credential).output == Secret("username=oauth2\npassword=t\n"))
    let again = try GitCredentials(HelperQuestion(["get"], Secret(lines + "capability[]=authtype\n")))
    let answer = "capability[]=authtype\nauthtype=Bearer\ncredential=t\nephemeral=1\n"
    #expect(try again.answer(credential).output == Secret(answer))
  }

  @Test("Docker's servers are parsed: a bare host is at https, and on this machine at http, too")
  func servers() throws {
    func urls(_ server: String) throws -> HelperTask {
      try DockerCredentials(HelperQuestion(["get"], Secret(server))).task
    }
    let none = HelperAnswer(Secret("credentials not found in native keychain\n"), isSuccess: false)
    let remote = HelperTarget(try HTTPURL("https://r.example/"))
    #expect(try urls(" r.example/v2/\r\n") == .get(remote))
    let local = HelperTarget(try HTTPURL("https://[::1]:5000/"), try HTTPURL("http://[::1]:5000/"))
    #expect(try urls("[::1]:5000") == .get(local))
    for path in ["", "/", "/v1", "/v1/", "/v2", "/v2/"] {
      #expect(try urls("https://r.example\(path)") != .answered(none), "\(path)")
    }
    for path in ["/v1/refresh-token", "/v2/x", "/v1/?x", "/access-token", "/team/?x"] {
      #expect(try urls("https://r.example\(path)") == .answered(none), "\(path)")
    }
    let part = HelperTarget(try HTTPURL("https://r.example/team-a"))
    #expect(try urls("r.example/team-a") == .get(part))
    #expect(try urls("https://r.example/team-a") == .get(part))
    #expect(try urls("http://r.example") == .unusable(.refusedURL(.plainHTTP)))
    #expect(try urls("a@r.example") == .unusable(.refusedURL(.userInformation)))
    #expect(try urls("r.example?x") == .unusable(.refusedURL(.unusableHost)))
  }

  @Test("A host alone is parsed as in a URL, and nothing else can stand there")
  func authorities() throws {
    #expect(try Origin(.https, authority: "A.example:443") == Origin("https://a.example"))
    #expect(try Origin(.http, authority: "[::1]") == Origin("http://[::1]"))
    for text in ["", ":1", "a/", "a/b", "a?b", "a#b", "a:1:2", "a:99999", "a b", "a%20", "a\\b"] {
      #expect(throws: ParseError.self, "\(text)") { try Origin(.https, authority: text) }
    }
    #expect(throws: ParseError.refusedURL(.userInformation)) { try Origin(.https, authority: "a@b") }
    #expect(throws: ParseError.refusedURL(.plainHTTP)) { try Origin(.http, authority: "a.example") }
  }
}
