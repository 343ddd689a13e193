import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("Where the signing proxy sends requests")
struct ProxyTargetTests {
  let record = RecordedWorld()

  /// What a client on a port is answered whose path has the secret.
  private func ask(
    _ hosts: [String],
    _ fields: [(name: String, value: String)] = [],
    _ options: String...
  ) async -> [Int] {
    let statuses = Mutex<[Int]>([])
    let record = record
    record.clear()
    record.localServer.visit { ask in
      // The line is printed before the first request can know the secret.
      while record.out.isEmpty { await Task.yield() }
      let words = record.out.split(separator: "/")
      let target = record.out.hasPrefix("/") ? "/v1" : "/\(words[2])/v1"
      for host in hosts {
        let answer = await ask("GET", target, [("Host", host)] + fields, nil)
        statuses.withLock { $0.append(answer.status) }
      }
    }
    #expect(await record.run(["proxy"] + options) == 0)
    return statuses.withLock { $0 }
  }

  /// The URL and the token of each request that went out.
  private var sent: [String] {
    record.requests.map { request in "\(request.url) \(request.fields.first.map { text(of: $0.value) } ?? "")" }
  }

  private func addTwo() async {
    await record.addToken("one", at: "https://one.example", "--name", "one")
    await record.addToken("two", at: "https://two.example", "--name", "two", "--header", "X-Key")
    record.serve(200, "")
  }

  @Test("The proxy with --all makes each request as the account of its Host")
  func all() async {
    await addTwo()
    let hosts = ["one.example", "two.example:443", "three.example"]
    #expect(await ask(hosts, [], "--all") == [200, 200, 421])
    #expect(sent == ["https://one.example/v1 Bearer one", "https://two.example/v1 two"])
  }

  @Test("The proxy with --all replaces the header of the account that it selects")
  func replaces() async throws {
    await addTwo()
    let theirs = [(name: "X-Key", value: "theirs"), (name: "Authorization", value: "Basic x")]
    #expect(await ask(["two.example", "one.example"], theirs, "--all") == [200, 200])
    let fields = record.requests.map { $0.fields.map(\.name) }
    #expect(fields == [["X-Key"], ["Authorization", "X-Key"]])
    #expect(sent == ["https://two.example/v1 two", "https://one.example/v1 Bearer one"])
  }

  @Test("The proxy with --all does not start if two accounts have one origin")
  func shared() async {
    await addTwo()
    #expect(await record.acct("allow", "two", "https://one.example") == 0)
    #expect(await record.acct("proxy", "--all") == 5)
    #expect(
      record.err.first?.hasPrefix("acct: https://one.example is an origin of more than one account: ") == true
    )
    let names = record.err.first?.split(separator: ": ").last.map(String.init)
    #expect(["one, two", "two, one"].contains(names))
    #expect(record.err.last?.contains("`acct allow NAME https://one.example --revoke`") == true)
    #expect(record.out.isEmpty)
    #expect(await record.acct("allow", "two", "https://one.example", "--revoke") == 0)
    #expect(await ask(["one.example"], [], "--all") == [200])
  }

  static let pairs = [
    ("http://localhost", "https://localhost", "localhost"),
    ("https://localhost:80", "http://localhost", "localhost:80"),
    ("http://127.0.0.1:443", "https://127.0.0.1", "127.0.0.1:443"),
  ]

  @Test("The proxy with --all does not start if one Host fits origins of two accounts", arguments: pairs)
  func sharedHost(_ first: String, _ second: String, _ host: String) async {
    await record.addToken("one", at: first, "--name", "one")
    await record.addToken("two", at: second, "--name", "two")
    #expect(await record.acct("proxy", "--all") == 5)
    let text = "acct: the Host \(host) fits origins of more than one account: "
    #expect(record.err.first == "\(text)\(first) of one, \(second) of two")
    #expect(record.out.isEmpty)
  }

  @Test("A Host that fits two origins of one account means the first of them")
  func firstOrigin() async {
    let hosts = ["localhost", "127.0.0.1", "[::1]"]
    await record.addToken("one", at: "https://localhost", "--name", "one")
    for host in hosts.dropFirst() {
      #expect(await record.acct("allow", "one", "https://\(host)") == 0)
    }
    for host in hosts { #expect(await record.acct("allow", "one", "http://\(host)") == 0) }
    record.serve(200, "")
    for options in [[], ["--all"]] {
      let before = record.requests.count
      let answers = options.isEmpty ? await ask(hosts) : await ask(hosts, [], options[0])
      #expect(answers == [200, 200, 200])
      #expect(sent.dropFirst(before) == hosts.map { "https://\($0)/v1 Bearer one" }[...])
    }
  }

  @Test("The proxy with --all needs an account, and skips one whose file is damaged")
  func accounts() async throws {
    #expect(await record.acct("proxy", "--all") == 5)
    await addTwo()
    let id = try AccountID(try #require(await record.status("id")?.stringValue))
    record.corrupt(.account(id), with: "{")
    #expect(await ask(["one.example", "two.example"], [], "--all") == [200, 421])
    #expect(
      record.err == ["acct: not served: the file of account \(id) is damaged: /data/accounts/\(id).json"]
    )
  }

  @Test("The proxy with --all answers 421 for an origin that was revoked since")
  func revoked() async {
    await addTwo()
    let record = record
    let statuses = Mutex<[Int]>([])
    record.clear()
    record.localServer.visit { ask in
      _ = await record.run(["allow", "--revoke", "one", "https://one.example"])
      let answer = await ask("GET", "/v1", [("Host", "one.example")], nil)
      statuses.withLock { $0.append(answer.status) }
    }
    #expect(await record.run(["proxy", "--all"]) == 0)
    #expect(statuses.withLock { $0 } == [421])
    #expect(sent.isEmpty)
  }

  @Test("The proxy's own address on a port leads to the account's only origin")
  func onlyOrigin() async {
    await record.addToken("one", at: "https://one.example", "--name", "one")
    record.serve(200, "")
    let hosts = ["127.0.0.1:4711", "localhost:4711", "LOCALHOST:4711", "one.example"]
    #expect(await ask(hosts, [], "--port", "0") == [200, 200, 200, 200])
    #expect(sent == Array(repeating: "https://one.example/v1 Bearer one", count: 4))
  }

  @Test("The proxy's own address leads nowhere on a socket or with two origins")
  func severalOrigins() async {
    await record.addToken("one", at: "https://one.example", "--name", "one")
    #expect(await ask(["127.0.0.1:4711", "localhost"]) == [421, 421])
    #expect(await record.acct("allow", "one", "https://two.example") == 0)
    #expect(await ask(["127.0.0.1:4711"], [], "--port", "0") == [421])
    #expect(record.requests.isEmpty)
  }

  @Test("The proxy with --to sends every request to one origin of the account")
  func to() async {
    await record.addToken("one", at: "https://one.example", "--name", "one")
    #expect(await record.acct("allow", "one", "https://two.example") == 0)
    record.serve(200, "")
    let hosts = ["127.0.0.1:4711", "localhost:4711", "two.example", "one.example"]
    let to = "https://two.example"
    #expect(await ask(hosts, [], "--port", "4711", "--to", to) == [200, 200, 200, 421])
    #expect(sent == Array(repeating: "https://two.example/v1 Bearer one", count: 3))
  }

  static let strangers = [
    "evil.example:4711", "127.0.0.1:4712", "127.0.0.1", "localhost", "127.0.0.2:4711", "[::1]:4711", "localhost.:4711",
    "127.1:4711", "0.0.0.0:4711", "evil.localhost:4711", "127.0.0.1:4711.evil.example", "",
  ]

  @Test("A rebound name or another spelling of the proxy's address gets nothing", arguments: strangers)
  func rebound(_ host: String) async {
    await record.addToken("one", at: "https://one.example", "--name", "one")
    let to = "https://one.example"
    #expect(await ask([host], [], "--port", "0", "--to", to) == [421])
    #expect(record.requests.isEmpty)
  }

  @Test("A browser gets nothing at the proxy's own address, with any initiator")
  func browser() async {
    await record.addToken("one", at: "https://one.example", "--name", "one")
    for site in ["none", "same-origin", "cross-site"] {
      let fields = [(name: "Sec-Fetch-Site", value: site)]
      #expect(await ask(["127.0.0.1:4711"], fields, "--port", "0") == [403])
    }
    let origin = [(name: "Origin", value: "http://127.0.0.1:4711")]
    #expect(await ask(["127.0.0.1:4711"], origin, "--port", "0") == [403])
    #expect(record.requests.isEmpty)
  }

  @Test("The proxy with --to another server, or with options that exclude each other, does not start")
  func usage() async {
    await record.addToken("one", at: "https://one.example", "--name", "one")
    #expect(await record.acct("proxy", "--port", "0", "--to", "https://two.example") == 8)
    #expect(await record.acct("proxy", "--port", "0", "--to", "one.example") == 64)
    #expect(await record.acct("proxy", "--to", "https://one.example") == 64)
    #expect(await record.acct("proxy", "--all", "-a", "one") == 64)
    #expect(
      await record.acct("proxy", "--all", "--port", "0", "--to", "https://one.example") == 64
    )
    #expect(record.out.isEmpty)
  }

  @Test("The proxy reports a static token that its server rejects")
  func rejected() async {
    await record.addToken("one", at: "https://one.example", "--name", "one")
    record.serve(401, "no")
    #expect(await ask(["one.example"]) == [401])
    #expect(record.err.first?.contains("the server rejected the token of one") == true)
  }
}
