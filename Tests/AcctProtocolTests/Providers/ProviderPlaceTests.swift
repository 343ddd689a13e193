import AcctModel
import AcctProtocol
import Testing

@Suite("What stands behind a provider's name")
struct ProviderPlaceTests {
  private func provider(_ name: String) throws -> Provider {
    try Provider(parsing: try #require(ShippedProviders.file(name)), name: name)
  }

  private func flaw(_ file: String, _ typed: String) throws -> ProviderPlace.Flaw? {
    let provider = try provider(file)
    let typed = try #require(ProviderName(typed))
    do throws(ProviderPlace.Flaw) {
      _ = try provider.resolved(for: typed)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "A word without a dot is a provider's name, anything else is not",
    arguments: [
      ("github", "github"), ("GitHub", "github"), ("gitlab:git.example", "gitlab"),
      ("keycloak:sso.example/main", "keycloak"), ("localhost", "localhost"),
      ("alice.example.com", nil), ("@alice", nil), ("at://alice.example", nil),
      ("did:plc:abc", nil), ("https://pds.example", nil), ("http://localhost", nil),
    ] as [(String, String?)]
  )
  func names(typed: String, name: String?) {
    #expect(ProviderName(typed)?.name == name)
  }

  @Test(
    "A host can't change what an address means",
    arguments: [
      "", "a/b", "a?b", "a#b", "a%2fb", "a@b", "a b", "a\\b", "..", ".", "[", "a:0", "a:99999",
      "a:b", "ex\u{E4}mple", "a\u{0}", "{tenant}",
    ]
  )
  func hosts(text: String) throws {
    let flaw = try flaw("mastodon", "mastodon:\(text)")
    #expect(flaw == .host(text) || flaw == .host(String(text.prefix { $0 != "/" })))
  }

  @Test(
    "A tenant or realm is one segment of a path",
    arguments: ["a/b", "a?b", "a#b", "a%2fb", "a@b", "a b", "..", ".", "a\u{0}", "{host}"]
  )
  func tenants(text: String) throws {
    #expect(try flaw("microsoft", "microsoft:\(text)") == .name(text))
    #expect(try flaw("keycloak", "keycloak:sso.example/\(text)") == .name(text))
  }

  @Test("A provider without open parts takes none, and one with them needs them")
  func needs() throws {
    #expect(try flaw("google", "google:example.com") == .unwanted)
    #expect(try flaw("mastodon", "mastodon") == .missing([.host]))
    #expect(try flaw("keycloak", "keycloak:sso.example") == .missing([.realm]))
    #expect(try flaw("gitlab", "gitlab") == nil)
    #expect(try flaw("microsoft", "microsoft") == nil)
    #expect(try provider("gitlab").usage == "gitlab[:HOST]")
    #expect(try provider("keycloak").usage == "keycloak:HOST/REALM")
    #expect(try provider("github-host").usage == "github:HOST")
  }

  @Test("The issuer of a server with tenants is the one that the ID token's tenant makes")
  func template() throws {
    let typed = try #require(ProviderName("microsoft"))
    let template = try #require(try provider("microsoft").resolved(for: typed).issuerTemplate)
    let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    let issuer = template.issuer(of: tenant)
    #expect(issuer?.description == "https://login.microsoftonline.com/\(tenant)/v2.0")
    for text in ["", "common", "a/b", "../../evil", "9188040d-6c67-4c5b-b112-36a304b66da/"] {
      #expect(template.issuer(of: text) == nil)
    }
  }
}
