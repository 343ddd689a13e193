import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("The providers")
struct ProvidersTests {
  private let record = RecordedWorld()

  @Test("The list has every provider as it is typed, and where it is from")
  func list() async {
    record.providerFiles["acme"] = #"{"title":"Acme","issuer":"https://{host}"}"#
    #expect(await record.acct("providers") == 0)
    let lines = record.out.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("PROVIDER") == true)
    for typed in ["acme:HOST", "github", "github:HOST", "gitlab[:HOST]", "keycloak:HOST/REALM"] {
      #expect(lines.contains { $0.hasPrefix("\(typed) ") }, "\(typed)")
    }
    #expect(lines.contains { $0.hasSuffix("/config/acme.json") })
    #expect(record.requests.isEmpty)
    record.clear()
    #expect(await record.acct("complete", "providers") == 0)
    #expect(record.out.contains("acme\tAcme\n"))
  }

  @Test("One provider is shown with its file and its source, the user's before acct's own")
  func show() async {
    #expect(await record.acct("providers", "gitlab", "--json") == 0)
    var provider = record.json?.objectValue?["provider"]?.objectValue
    #expect(provider?["usage"] == "gitlab[:HOST]")
    #expect(provider?["source"] == "acct")
    #expect(provider?["data"]?.objectValue?["issuer"] == "https://{host}")
    record.providerFiles["gitlab"] = #"{"issuer":"https://git.example","clientID":"ours"}"#
    record.clear()
    #expect(await record.acct("providers", "gitlab", "--json") == 0)
    provider = record.json?.objectValue?["provider"]?.objectValue
    #expect(provider?["file"] == "/config/gitlab.json")
    #expect(provider?["data"]?.objectValue?["clientID"] == "ours")
    record.clear()
    #expect(await record.acct("providers", "gitlab") == 0)
    #expect(record.out.contains("/config/gitlab.json"))
    record.clear()
    #expect(await record.acct("providers", "github:ghe.example") == 0)
    #expect(record.out.contains("GitHub Enterprise Server"))
  }

  @Test("A word that is no provider is an error that lists close names")
  func unknown() async {
    #expect(await record.acct("add", "gihub") == 64)
    #expect(record.err.first == "acct: there is no provider gihub")
    #expect(
      record.err.last == "acct: hint: did you mean `github`? `acct providers` lists them; a handle has a dot"
    )
    record.clear()
    #expect(await record.acct("providers", "somewhere") == 64)
    record.clear()
    #expect(await record.acct("add", "alice") == 64)
    #expect(record.err.last == "acct: hint: `acct providers` lists them; a handle has a dot")
    #expect(record.requests.isEmpty)
  }

  @Test("A hostile file of the user's is rejected with its path and member, before any request")
  func hostile() async {
    record.providerFiles["acme"] = #"{"issuer":"https://a.example","endpoints":{"token":"https://evil.example/"}}"#
    #expect(await record.acct("add", "acme", "--client-id", "client") == 65)
    #expect(
      record.err.first
        == "acct: /config/acme.json can't be used: endpoints.token is at another server, https://evil.example"
    )
    record.providerFiles["acme"] = #"{"issuer":"https://a.example","issuer":"https://b.example"}"#
    record.clear()
    #expect(await record.acct("providers", "acme") == 65)
    #expect(record.err.first?.contains("/config/acme.json can't be used") == true)
    record.clear()
    #expect(await record.acct("providers") == 0)
    #expect(record.err.first?.contains("/config/acme.json can't be used") == true)
    #expect(record.out.contains("github"))
  }

  @Test("A file that others may write is not used, and nothing takes its place")
  func unsafe() async {
    record.providerFiles.fail(
      "gitlab",
      .unsafe(path: "/config/gitlab.json", reason: "its group or others can write to it")
    )
    #expect(await record.acct("add", "gitlab", "--client-id", "client") == 65)
    #expect(
      record.err.first == "acct: /config/gitlab.json is not used: its group or others can write to it"
    )
    #expect(record.requests.isEmpty)
  }

  @Test("A provider without a client says where to register one, and which address to enter")
  func clientNeeded() async {
    record.serve { _ throws(HTTPFailure) in .json("{}", 404) }
    record.clear()
    #expect(await record.acct("add", "microsoft") == 64)
    #expect(
      record.err == [
        "acct: Microsoft Entra needs to know the client: --client-id is missing",
        "acct: hint: register a client at https://entra.microsoft.com/, with the redirect address "
          + "http://localhost; once, `acct add microsoft --client-id ID`",
      ]
    )
    let requests = record.requests.count
    record.keyring.lock()
    for provider in ["github", "google", "microsoft", "discord"] {
      record.clear()
      #expect(await record.acct("add", provider) == 64, "\(record.err)")
      #expect(record.err.last?.contains("`acct add \(provider) --client-id ID`") == true)
    }
    #expect(record.requests.count == requests)
    record.keyring.unlock()
    record.clear()
    #expect(await record.acct("add", "google", "--client-id", "client") == 64)
    #expect(record.err.first == "acct: Google needs the client's secret, and none is known")
    #expect(record.err.last?.contains("--client-secret-file FILE") == true)
    record.clear()
    #expect(await record.acct("add", "nextcloud:cloud.example") == 64)
    #expect(record.err.last?.contains("https://cloud.example/settings/user/security") == true)
    #expect(record.err.last?.contains("--allow-origin https://cloud.example") == true)
    #expect(record.accountFiles == 0)
  }

  @Test("What the user types behind a provider's name is checked, and how it is typed is said")
  func place() async {
    #expect(await record.acct("add", "mastodon", "--client-id", "a") == 64)
    #expect(record.err.first == "acct: behind the name there is no host")
    #expect(record.err.last == "acct: hint: it is typed acct add mastodon:HOST")
    record.clear()
    #expect(await record.acct("add", "keycloak:sso.example/a/b", "--client-id", "a") == 64)
    #expect(record.err.first == "acct: not the name of a tenant or realm: a/b")
    #expect(record.requests.isEmpty)
  }

  @Test(
    "A URL behind a provider's name is no host, and the error says what is typed there",
    arguments: ["http://evil.test", "https://mastodon.example", "//evil.test", "HTTP://a.example/b"]
  )
  func placeURL(_ place: String) async {
    #expect(await record.acct("add", "mastodon:\(place)", "--no-input") == 64)
    #expect(
      record.err == [
        "acct: a host stands behind the name, and no URL: \(place)",
        "acct: hint: it is typed acct add mastodon:HOST",
      ]
    )
    #expect(record.requests.isEmpty)
  }
}
