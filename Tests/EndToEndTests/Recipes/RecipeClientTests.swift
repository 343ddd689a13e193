import AcctTestSupport
import StrictJSON
import Testing

/// `Examples/curl.sh`, `httpie.sh` and `request.py`: one request each, by another program's client.
@Suite("The recipes for curl, HTTPie and Python")
struct RecipeClientTests {
  private func home(at server: StrictServer) async throws -> AcctHome {
    let home = try AcctHome()
    let added = try await home.importing(try await server.issue(["dpop": true]))
    try #require(added.status == 0, "\(added.errorText)")
    return home
  }

  @Test("The first answer to curl teaches the nonce with which the next request succeeds")
  func curl() async throws {
    let server = try await StrictServer()
    let home = try await home(at: server)
    let url = "\(server.resource)/resource"
    for status in ["401", "200"] {
      let options = ["GET", url, "-o", "/dev/null", "-w", "%{http_code}"]
      let output = try await home.recipe("curl.sh", options).run()
      #expect(output.status == 0, "\(output.errorText)")
      #expect(output.text == status)
    }
    #expect(try await server.counts()["resources"] == 1)
    try await server.expectNothingWrong()
  }

  @Test("The recipe for HTTPie sends both header lines, and neither is in its arguments")
  func httpie() async throws {
    let server = try await StrictServer(["rs_nonce": false])
    let home = try await home(at: server)
    // HTTPie keeps its settings below HOME.
    let folder = try TemporaryFolder()
    let spy = try folder.file(
      "http",
      containing:
        "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/arguments\"\nexec /usr/bin/http \"$@\"\n"
    )
    _ = try await ChildProcess("chmod", ["+x", spy]).run()
    var command = home.recipe(
      "httpie.sh",
      ["GET", "\(server.resource)/resource", "--check-status", "--pretty=none"],
      with: ["HOME": folder.path]
    )
    command.environment["PATH"] = "\(folder.path):\(command.environment["PATH"] ?? "")"
    let output = try await command.run()
    #expect(output.status == 0, "\(output.errorText)")
    #expect(try await server.counts()["resources"] == 1)
    try await server.expectNothingWrong()
    let arguments = try await ChildProcess("cat", ["\(folder.path)/arguments"]).run().text
    #expect(arguments.contains("Authorization:@/dev/fd/"))
    #expect(arguments.contains("DPoP:@/dev/fd/"))
    #expect(!arguments.contains("eyJ"))
  }

  @Test("The recipe for Python retries with the nonce that it was given, and succeeds")
  func python() async throws {
    let server = try await StrictServer()
    let home = try await home(at: server)
    let output = try await home.recipe("request.py", ["\(server.resource)/resource"]).run()
    #expect(output.status == 0, "\(output.errorText)")
    let counts = try await server.counts()
    #expect(counts["resources"] == 1)
    #expect(counts["nonce_challenges"] == 1)
    try await server.expectNothingWrong()
  }

  @Test("Each recipe rejects another server with acct's own status before anything is sent")
  func elsewhere() async throws {
    let server = try await StrictServer()
    let home = try await home(at: server)
    let url = server.elsewhere
    for (recipe, arguments) in [("curl.sh", ["GET", url]), ("httpie.sh", ["GET", url]), ("request.py", [url])] {
      let output = try await home.recipe(recipe, arguments).run()
      #expect(output.status == 8, "\(recipe): \(output.errorText)")
    }
    #expect(try await server.requests(to: "elsewhere").isEmpty)
  }
}
