import AcctModel
import AcctProtocol
import StrictJSON
import Testing

@Suite("The file of a provider with keys")
struct KeyProviderFileTests {
  /// A file that is as it must be, but for the members that a test changes.
  private static func parse(_ members: JSONObject = [:]) throws(ProviderFlaw) -> Provider {
    var object: JSONObject = ["kind": "key", "origins": ["https://api.example"], "send": "bearer"]
    for (name, value) in members { object[name] = value == .null ? nil : value }
    return try Provider(parsing: JSON.object(object).serialized(), name: "p")
  }

  @Test("Every member is read, and the host is put in where the file leaves it open")
  func whole() throws {
    let provider = try Self.parse([
      "title": "Acme", "host": "acme.example", "origins": ["https://{host}", "https://eu.acme.example"],
      "environment": ["ACME_KEY", "_A1"], "prefixes": ["ak-"], "page": "https://{host}/keys#mine",
      "comment": ["why", "and where"],
    ])
    let key = try #require(provider.key)
    #expect(key.sentAs == .bearer)
    #expect(key.variables == ["ACME_KEY", "_A1"])
    #expect(key.prefixes == ["ak-"])
    #expect(provider.usage == "p[:HOST]")
    let usual = try provider.resolved(for: try #require(ProviderName("p")))
    #expect(usual.origins.map(\.description) == ["https://acme.example", "https://eu.acme.example"])
    #expect(usual.registerAt == "https://acme.example/keys#mine")
    let own = try provider.resolved(for: try #require(ProviderName("p:own.example:8443")))
    #expect(own.origins.first?.description == "https://own.example:8443")
  }

  @Test(
    "A key is sent as the file says",
    arguments: [
      ("bearer", "Authorization", .scheme("Bearer")), (["header": "X-Key"], "X-Key", .bare),
      (["header": "Authorization", "prefix": "Token "], "Authorization", .scheme("Token")),
      (["header": "Authorization", "prefix": "Token token="], "Authorization", .scheme("Token token=")),
      (["basic": "user"], "Authorization", .userIsToken(password: "")),
      (["basic": "password", "user": "api"], "Authorization", .basic(user: "api")),
      (["query": "appid"], "appid", .query),
    ] as [(JSON, String, StaticHeader.Form)]
  )
  func forms(send: JSON, field: String, form: StaticHeader.Form) throws {
    #expect(try Self.parse(["send": send]).key?.sentAs == StaticHeader(field: field, form: form))
  }

  @Test(
    "A flaw is named with its member",
    arguments: [
      (["issuer": "https://a.example"], "issuer", .unknownMember), (["clientID": "a"], "clientID", .unknownMember),
      (["origins": .null], "origins", .missing), (["origins": []], "origins", .missing),
      (["origins": "https://a.example"], "origins", .wrongType(.array)),
      (["origins": ["http://a.example"]], "origins", .refused(.plainHTTP)),
      (["origins": ["https://a.example/v1"]], "origins", .malformed),
      (["origins": ["https://{realm}"]], "origins", .placeholder), (["send": .null], "send", .missing),
      (["send": "Bearer"], "send", .notOneOf(["bearer"])), (["send": 1], "send", .wrongType(.object)),
      (["send": [:]], "send.header", .missing), (["send": ["headers": "A"]], "send.headers", .unknownMember),
      (["send": ["header": "a b"]], "send.header", .malformed),
      (["send": ["header": "Cookie"]], "send.header", .malformed),
      (["send": ["header": "A", "user": "b"]], "send.user", .unknownMember),
      (["send": ["header": "A", "prefix": "Token"]], "send.prefix", .malformed),
      (["send": ["header": "A", "prefix": "DPoP "]], "send.prefix", .malformed),
      (["send": ["header": "A", "prefix": "a b c="]], "send.prefix", .malformed),
      (["send": ["header": "A", "prefix": "a: b "]], "send.prefix", .malformed),
      (["send": ["prefix": "Token "]], "send.header", .missing),
      (["send": ["basic": "both"]], "send.basic", .notOneOf(["user", "password"])),
      (["send": ["basic": .null]], "send.basic", .missing), (["send": ["basic": "password"]], "send.user", .missing),
      (["send": ["basic": "password", "user": "a:b"]], "send.user", .malformed),
      (["send": ["basic": "user", "user": "a"]], "send.user", .unknownMember),
      (["send": ["basic": "user", "header": "A"]], "send.header", .unknownMember),
      (["send": ["query": "a b"]], "send.query", .malformed),
      (["send": ["query": 1]], "send.query", .wrongType(.string)),
      (["send": ["query": "a", "header": "A"]], "send.header", .unknownMember),
      (["environment": "A"], "environment", .wrongType(.array)), (["environment": ["A-B"]], "environment", .malformed),
      (["environment": ["1A"]], "environment", .malformed), (["prefixes": ["a b"]], "prefixes", .malformed),
      (["prefixes": [""]], "prefixes", .malformed), (["prefixes": [1]], "prefixes", .wrongType(.string)),
      (["page": "http://a.example"], "page", .refused(.plainHTTP)),
      (["page": "https://{tenant}.example/"], "page", .placeholder),
      (["page": "https://a.example/#a b"], "page", .malformed),
      (["page": "https://a.example/#{host}"], "page", .malformed),
      (["comment": 1], "comment", .wrongType(.array)), (["comment": ["a\u{1B}"]], "comment", .unprintable),
      (["title": 1], "title", .wrongType(.string)), (["kind": "keys"], "send", .unknownMember),
    ] as [(JSONObject, String, ProviderFlaw.Problem)]
  )
  func flaws(members: JSONObject, member: String, problem: ProviderFlaw.Problem) {
    #expect(throws: ProviderFlaw(member, problem)) { try Self.parse(members) }
  }

  @Test("A key's members are unknown in the file of a sign-in, and a comment is known in every file")
  func otherKinds() throws {
    func parse(_ text: String) throws(ProviderFlaw) -> Provider { try Provider(parsing: Array(text.utf8), name: "p") }
    #expect(throws: ProviderFlaw("send", .unknownMember)) {
      try parse(#"{"issuer":"https://a.example","send":"bearer"}"#)
    }
    #expect(try parse(#"{"issuer":"https://a.example","comment":"why"}"#).key == nil)
  }

  @Test(
    "Each one that acct comes with says where its facts are from, and goes to https alone",
    arguments: ShippedProviders.keys
  )
  func shipped(name: String) throws {
    let provider = try Provider(parsing: try #require(ShippedProviders.file(name)), name: name)
    #expect(
      provider.kind == .key && provider.title != nil && provider.document["comment"]?.arrayValue?.isEmpty == false
    )
    let typed = try #require(ProviderName(provider.usage.hasSuffix(":HOST") ? "\(name):own.example" : name))
    let resolved = try provider.resolved(for: typed)
    #expect(!resolved.origins.isEmpty && resolved.origins.allSatisfy { $0.scheme == .https })
    #expect(resolved.origins.count == provider.origins.count)
    #expect(!ShippedProviders.names.contains(name) && ProviderName.isName(name))
  }

  @Test("No two of those have the same prefix, and all are in the list in the order of the alphabet")
  func shippedPrefixes() throws {
    var owners: [String: String] = [:]
    for name in ShippedProviders.keys {
      let provider = try Provider(parsing: try #require(ShippedProviders.file(name)), name: name)
      for prefix in try #require(provider.key).prefixes {
        #expect(owners.updateValue(name, forKey: prefix) == nil, "\(prefix) is of two providers")
      }
    }
    #expect(ShippedProviders.keys == ShippedProviders.keys.sorted())
  }
}
