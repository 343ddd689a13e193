import AcctModel
import AcctProtocol
import StrictJSON
import Testing

@Suite("A provider's file")
struct ProviderFileTests {
  /// A file that is as it must be, but for the members that a test changes.
  private static func file(_ members: JSONObject = [:]) -> [UInt8] {
    var object: JSONObject = [
      "issuer": "https://{host}/oauth",
      "endpoints": ["authorization": "https://{host}/authorize", "token": "https://{host}/token"],
      "origins": ["https://api.example"],
    ]
    for (name, value) in members { object[name] = value == .null ? nil : value }
    return JSON.object(object).serialized()
  }

  private static func flaw(_ members: JSONObject) -> ProviderFlaw? {
    do {
      _ = try Provider(parsing: file(members), name: "p")
      return nil
    } catch {
      return error
    }
  }

  @Test("Every provider that acct comes with is read, and is in the list")
  func shipped() throws {
    for name in ShippedProviders.names {
      let provider = try Provider(parsing: try #require(ShippedProviders.file(name)), name: name)
      #expect(provider.clientID == nil, "\(name) has a client of another application")
      #expect(provider.registerAt != nil, "\(name) does not say where to register a client")
      #expect(provider.title != nil)
      // What is put in by default is enough, or the usage says what is missing.
      let typed = try #require(ProviderName(name.replacing("-host", with: "")))
      let isWhole = (try? provider.resolved(for: typed)) != nil
      #expect(isWhole != provider.usage.contains("HOST") || provider.usage.contains("["))
    }
    #expect(ShippedProviders.names == ShippedProviders.names.sorted())
    #expect(ShippedProviders.file("unknown") == nil)
  }

  @Test("A file as it must be is read, and what it leaves open is put in")
  func whole() throws {
    let provider = try Provider(parsing: Self.file(), name: "p")
    #expect(provider.usage == "p:HOST")
    let typed = try #require(ProviderName("p:Git.Example:8443"))
    let resolved = try provider.resolved(for: typed)
    #expect(resolved.issuer?.description == "https://git.example:8443/oauth")
    #expect(resolved.endpoints[.token]?.description == "https://git.example:8443/token")
    #expect(resolved.origins.map(\.description) == ["https://api.example"])
    #expect(resolved.scope("a b") == "a b")
  }

  @Test(
    "A hostile file is rejected, and the member is named",
    arguments: [
      (["bogus": 1], "bogus", .unknownMember),
      (["endpoints": ["jwks": "https://{host}/"]], "endpoints.jwks", .unknownMember),
      (["issuer": 1], "issuer", .wrongType(.string)),
      (["endpoints": []], "endpoints", .wrongType(.object)),
      (["origins": "https://api.example"], "origins", .wrongType(.array)),
      (["secretIsPublic": "yes"], "secretIsPublic", .wrongType(.boolean)),
      (["issuer": "ftp://issuer.example"], "issuer", .malformed),
      (["issuer": "javascript:alert(1)"], "issuer", .malformed),
      (["issuer": "http://issuer.example"], "issuer", .refused(.plainHTTP)),
      (["issuer": "http://{host}"], "issuer", .refused(.plainHTTP)),
      (["issuer": "https://a@issuer.example"], "issuer", .refused(.userInformation)),
      (["issuer": "https://{host}/?a=b"], "issuer", .malformed),
      (["issuer": "https://{host}/#a"], "issuer", .malformed),
      (["issuer": "https://{host}.evil.example"], "issuer", .placeholder),
      (["issuer": "https://evil.example@{host}"], "issuer", .placeholder),
      (["issuer": "https://{host}/{other}"], "issuer", .placeholder),
      (["issuer": "https://{host}/a{tenant}"], "issuer", .placeholder),
      (["registerAt": "https://{host}/{tenantid}"], "registerAt", .placeholder),
      (["registerAt": "https://{host}/?a={tenant}"], "registerAt", .placeholder),
      (["endpoints": ["token": "https://evil.example/token"]], "endpoints.token", .foreignHost("https://evil.example")),
      (["endpoints": ["token": "https://{host}:8443/token"]], "endpoints.token", .placeholder),
      (
        ["endpoints": ["userinfo": "https://evil.example/me"]], "endpoints.userinfo",
        .foreignHost("https://evil.example")
      ),
      (
        ["endpoints": ["revocation": "https://evil.example/"]], "endpoints.revocation",
        .foreignHost("https://evil.example")
      ),
      (
        ["endpoints": ["registration": "https://evil.example/"]], "endpoints.registration",
        .foreignHost("https://evil.example")
      ),
      (
        ["endpoints": ["deviceAuthorization": "https://evil.example/"]],
        "endpoints.deviceAuthorization", .foreignHost("https://evil.example")
      ),
      (
        ["endpoints": ["authorization": "https://{host}/authorize?client_id=evil&code_challenge=a"]],
        "endpoints.authorization", .malformed
      ),
      (["endpoints": ["token": "https://{host}/token?"]], "endpoints.token", .malformed),
      (
        ["parameters": ["authorization": ["Redirect_URI": "https://evil.example"]]],
        "parameters.authorization.Redirect_URI", .ownParameter
      ),
      (["issuer": .null, "endpoints": ["authorization": "https://a.example/"]], "endpoints.token", .missing),
      (["issuer": .null, "endpoints": ["token": "https://a.example/"]], "endpoints.authorization", .missing),
      (["origins": ["https://api.example/path"]], "origins", .malformed),
      (["origins": ["http://api.example"]], "origins", .refused(.plainHTTP)),
      (["origins": ["https://{tenant}"]], "origins", .placeholder),
      (["title": "a\u{1B}[2J"], "title", .unprintable),
      (["title": "a\u{202E}b"], "title", .unprintable),
      (["scope": "a\nb"], "scope", .unprintable),
      (["clientID": "a b"], "clientID", .malformed),
      (
        ["clientAuth": "mtls"], "clientAuth",
        .notOneOf(["none", "basic", "post", "private-key", "tls", "assertion-file"])
      ),
      (["dpop": "always"], "dpop", .notOneOf(["auto", "never"])),
      (["scopeSeparator": ";"], "scopeSeparator", .notOneOf([" ", ","])),
      (["scopeParameter": "client_id"], "scopeParameter", .ownParameter),
      (
        ["parameters": ["authorization": ["redirect_uri": "https://evil.example"]]],
        "parameters.authorization.redirect_uri", .ownParameter
      ),
      (["parameters": ["token": ["code_verifier": "a"]]], "parameters.token.code_verifier", .ownParameter),
      (["parameters": ["token": ["a b": "c"]]], "parameters.token.a b", .malformed),
      (["redirectURI": "https://evil.example/callback"], "redirectURI", .malformed),
      (["redirectURI": "http://localhost.evil.example/"], "redirectURI", .malformed),
      (["host": "a/b"], "host", .malformed), (["tenant": ".."], "tenant", .malformed),
      (["registration": ["style": "soap"]], "registration.style", .notOneOf(["rfc7591", "mastodon", "never"])),
      (["scope": .string(String(repeating: "a", count: 2049))], "scope", .tooLong(limit: 2048)),
      (["origins": .array(Array(repeating: "https://api.example", count: 65))], "origins", .tooLong(limit: 64)),
      (["kind": "appPassword", "origins": .null], "origins", .missing),
    ] as [(JSONObject, String, ProviderFlaw.Problem)]
  )
  func hostile(members: JSONObject, member: String, problem: ProviderFlaw.Problem) {
    #expect(Self.flaw(members) == ProviderFlaw(member, problem))
  }

  @Test("A file with a member twice, or that is too large, is rejected as a whole")
  func damaged() {
    func flaw(_ text: String) -> ProviderFlaw? {
      do {
        _ = try Provider(parsing: Array(text.utf8), name: "p")
        return nil
      } catch {
        return error
      }
    }
    let twice = #"{"issuer":"https://a.example","issuer":"https://b.example"}"#
    #expect(flaw(twice) == ProviderFlaw("", .json(.duplicateMember("issuer"))))
    let inner = #"{"endpoints":{"token":"https://a.example","token":"https://b.example"}}"#
    #expect(flaw(inner) == ProviderFlaw("", .json(.duplicateMember("token"))))
    let large = "{" + String(repeating: " ", count: Provider.largest) + "}"
    #expect(flaw(large) == ProviderFlaw("", .json(.tooLarge)))
    #expect(flaw("[]") == ProviderFlaw("", .wrongType(.object)))
    #expect(flaw("{") == ProviderFlaw("", .json(.truncated)))
  }
}
