import AcctModel
import AcctPorts
import AcctTestSupport
import Synchronization
import Testing

@Suite("The Referer that the proxy passes on")
struct ProxyRefererTests {
  let record = RecordedWorld()

  /// The values of `Referer` that reach the server, for those that a client sends; `SECRET` in one stands for the
  /// secret of the run.
  private func passed(_ referers: String..., on options: [String] = ["--port", "0"]) async throws -> [String] {
    record.serve(200, "")
    let record = record
    let statuses = Mutex<[Int]>([])
    record.localServer.visit { ask in
      // The line is printed before the first request can know the secret.
      while record.out.isEmpty { await Task.yield() }
      let secret = record.out.hasPrefix("/") ? "" : String(record.out.split(separator: "/")[2])
      let fields = referers.map { (name: "referer", value: $0.replacing("SECRET", with: secret)) }
      let target = secret.isEmpty ? "/x" : "/\(secret)/x"
      let answer = await ask("GET", target, [("Host", "issuer.example")] + fields, nil)
      statuses.withLock { $0.append(answer.status) }
    }
    record.clear()
    #expect(await record.run(["proxy"] + options) == 0, "\(record.err)")
    #expect(statuses.withLock { $0 } == [200])
    let fields = try #require(record.requests.last).fields
    return fields.filter { $0.name.lowercased() == "referer" }.map { text(of: $0.value) }
  }

  static let own = [
    "http://127.0.0.1:4711/SECRET/page", "http://127.0.0.1:4711", "http://127.0.0.1:4711/",
    "HTTP://LOCALHOST:4711/SECRET/", "http://localhost:4711?SECRET", "http://[::1]:4711/x",
    "http://a@127.0.0.1:4711/x", "http://issuer.example/SECRET/page", "SECRET",
    "https://other.example/?from=http%3A%2F%2F127.0.0.1%3A4711%2FSECRET%2F",
  ]

  @Test("A Referer with the address or the secret of the port does not leave", arguments: own)
  func dropped(_ referer: String) async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(try await passed(referer) == [])
  }

  static let others = [
    "https://issuer.example/page", "https://127.0.0.1.evil.test/", "http://127.0.0.1:4712/x", "http://127.0.0.1/x",
    "http://localhost:47110/", "about:blank", "", "https://other.example/4711?q=http://127.0.0.1:4711/",
  ]

  @Test("Any other Referer is passed on as it is", arguments: others)
  func kept(_ referer: String) async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(try await passed(referer) == [referer])
  }

  @Test("Of several Referers those of the proxy are dropped, and on a socket none is its own")
  func several() async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    let page = "https://issuer.example/page"
    #expect(try await passed("http://127.0.0.1:4711/SECRET/", page) == [page])
    let local = "http://127.0.0.1:4711/x"
    #expect(try await passed(local, on: ["--socket", "/tmp/mine"]) == [local])
  }
}
