import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// A key that its server takes in the query of a URL alone.
@Suite("A token in the query")
struct QueryTokenTests {
  private let record = RecordedWorld()
  private static let key = "made-up-key-of-a-test+/"
  private static let encoded = "made-up-key-of-a-test%2B%2F"

  private func add() async {
    record.secretFiles["token"] = Self.key
    #expect(
      await record.acct(
        "add",
        "--token",
        "token",
        "--query",
        "appid",
        "--allow-origin",
        "https://api.example",
        "--name",
        "w"
      ) == 0
    )
  }

  /// The query of the last request, as it is sent, and its URL.
  private var sent: (query: String?, url: String?) {
    let request = record.requests.last
    return (request?.sentQuery.map { text(of: $0) }, request?.url.description)
  }

  @Test(
    "A request has it behind its own query, percent-encoded, in no header and in no URL that is shown",
    arguments: [
      ("https://api.example/v1", ""), ("https://api.example/v1?", ""), ("https://api.example/v1?q=a%20b", "q=a%20b&"),
      ("https://api.example/v1?appid=other", "appid=other&"),
    ]
  )
  func request(url: String, own: String) async {
    await add()
    record.serve(200, "well")
    #expect(await record.acct("request", url, "-v") == 0, "\(record.err)")
    #expect(sent.query == "\(own)appid=\(Self.encoded)")
    #expect(sent.url == url)
    #expect(record.requests.last?.fields.contains { text(of: $0.value).contains("made-up") } == false)
    #expect(!record.err.joined().contains("made-up") && !record.filesText.contains("made-up"))
  }

  @Test("A redirect that repeats it does not double it, and no message shows it")
  func redirect() async {
    await add()
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/v1" else { return .json("{}") }
      return HTTPResponse(status: 302, fields: [("Location", "/v2?appid=\(Self.encoded)")], body: .init(""))
    }
    #expect(await record.acct("request", "-L", "-v", "https://api.example/v1") == 0, "\(record.err)")
    #expect(sent.query == "appid=\(Self.encoded)")
    #expect(!record.err.joined().contains("made-up"), "\(record.err)")
    record.serve(302, "", [("Location", "/x?appid=\(Self.encoded)")])
    #expect(await record.acct("request", "https://api.example/v1") == 0)
    #expect(record.err.joined().contains("leads to /x?appid=<redacted>"), "\(record.err)")
    record.serve(302, "", [("Location", "https://\(Self.encoded.prefix(15)).evil.test/")])
    #expect(await record.acct("request", "-L", "https://api.example/v1") == 11)
    #expect(!record.err.joined().contains("made-up"), "\(record.err)")
  }

  @Test("A request to another origin is refused before the key is read")
  func foreign() async {
    await add()
    #expect(await record.acct("request", "https://other.example/") == 8)
    #expect(await record.acct("header", "--format", "curl", "https://other.example/") == 8)
    #expect(record.requests.isEmpty)
  }

  @Test("A config of curl has it, and no other format of `header` can")
  func header() async {
    await add()
    #expect(await record.acct("header", "--format", "curl", "https://api.example/v1") == 0, "\(record.err)")
    #expect(record.out == "url-query = \"appid=\(Self.key)\"\n")
    for arguments in [[], ["--format", "json"], ["--format", "map"], ["--json"], ["--json", "--format", "curl"]] {
      record.clear()
      #expect(await record.run(["header", "https://api.example/v1"] + arguments) == 64)
      #expect(record.out.isEmpty && !record.err.joined().contains("made-up"))
    }
    #expect(await record.acct("header", "https://api.example/v1") == 64)
    #expect(
      record.err == [
        "acct: the token of w is sent in the URL's query, and no header can carry it",
        "acct: hint: --format curl prints it for curl -K (from 7.87 on); acct request and acct proxy send it",
      ]
    )
    // By itself it is what the user gave.
    #expect(await record.acct("token") == 0)
    #expect(record.out == "\(Self.key)\n")
  }

  @Test("The account says how it is sent, and a program that sends headers gets nothing")
  func elsewhere() async throws {
    await add()
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("?appid=TOKEN, in the URL"))
    #expect(try record.member("sentAs")?["query"] == "appid")
    record.provide("-", "protocol=https\nhost=api.example\n\n")
    _ = await record.acct("helper", "git", "get")
    #expect(record.out.isEmpty)
    record.provide("-", #"{"uri":"https://api.example/x"}"#)
    _ = await record.acct("helper", "bazel", "get")
    #expect(record.out == "{}\n")
  }

  @Test(
    "A name that is no name, and a second way to send it, are refused",
    arguments: [
      ["--query", "a b"], ["--query", "a=b"], ["--query", "a&b"], ["--query", "+a"], ["--query", "@a"],
      ["--query", "\u{E4}"],
      ["--query", "a", "--header", "X-Key"], ["--query", "a", "--scheme", "Token"],
      ["--query", "a", "--basic", "alice"],
    ]
  )
  func refused(_ options: [String]) async {
    record.secretFiles["token"] = Self.key
    let add = ["add", "--token", "token", "--allow-origin", "https://api.example", "--name", "b"]
    #expect(await record.run(add + options) == 64)
    #expect(!record.err.joined().contains("made-up"))
  }

  @Test("A provider whose key is sent in the query has it there")
  func provider() async {
    record.provide("-", "0123456789abcdef")
    #expect(await record.acct("add", "openweather", "--token", "-") == 0, "\(record.err)")
    #expect(record.err.last == "acct: hint: `acct request https://api.openweathermap.org/` makes a request with it")
    record.serve(200, "{}")
    #expect(await record.acct("request", "https://api.openweathermap.org/data/3.0/onecall?lat=1&lon=2") == 0)
    #expect(sent.query == "lat=1&lon=2&appid=0123456789abcdef")
    record.provide("-", "pk.made-up")
    #expect(await record.acct("add", "mapbox", "--token", "-") == 0, "\(record.err)")
    #expect(await record.acct("header", "--format", "curl", "https://api.mapbox.com/") == 0)
    #expect(record.out == "url-query = \"access_token=pk.made-up\"\n")
  }
}
