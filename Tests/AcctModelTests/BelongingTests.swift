import AcctModel
import Testing

@Suite("Whether credentials belong to an account")
struct BelongingTests {
  private static let mine = AccountSource.backend(origin("https://app.example"))
  private static let other = AccountSource.backend(origin("https://evil.example"))
  private static let sources: [AccountSource?] = [.issuer, mine, other, .user, nil]

  private static func origin(_ text: String) -> Origin {
    guard let origin = try? Origin(text) else { preconditionFailure(text) }
    return origin
  }

  private func belonging(
    _ source: AccountSource?,
    kind: Account.Kind = .oauth,
    subject: String? = "did:plc:alice",
    issuer: String? = "https://issuer.example",
    client: String? = "https://app.example/client.json"
  ) throws -> Belonging {
    Belonging(
      kind: kind,
      source: source,
      identity: Identity(subject: subject, issuer: try issuer.map { try Issuer($0) }, clientID: client)
    )
  }

  @Test("Credentials from a backend belong to that backend's accounts and to no other")
  func sources() throws {
    for one in Self.sources {
      for two in Self.sources {
        let isBackend = [Self.mine, Self.other].contains { $0 == one || $0 == two }
        let same = try belonging(one).isSame(as: belonging(two))
        #expect(same == (isBackend ? one == two : true), "\(String(describing: (one, two)))")
      }
    }
  }

  @Test("Credentials belong to an account of the same kind, subject and client, whatever the source")
  func parts() throws {
    for source in Self.sources {
      let account = try belonging(source)
      #expect(try !account.isSame(as: belonging(source, kind: .session)))
      #expect(try !account.isSame(as: belonging(source, subject: "did:plc:bob")))
      #expect(try !account.isSame(as: belonging(source, client: "https://app.example/other")))
      #expect(try !account.isSame(as: belonging(source, client: nil)))
      let nobody = try belonging(source, subject: nil)
      #expect(!nobody.isSame(as: nobody))
    }
  }

  @Test("A static token belongs to the account of its name, and to no other")
  func names() throws {
    func belonging(_ name: String?, _ kind: Account.Kind = .static) throws -> Belonging {
      Belonging(
        kind: kind,
        source: .user,
        identity: Identity(subject: nil, issuer: nil, clientID: nil),
        name: try name.map { try AccountName($0) }
      )
    }
    #expect(try belonging("work").isSame(as: belonging("work")))
    #expect(try !belonging("work").isSame(as: belonging("other")))
    #expect(try !belonging(nil).isSame(as: belonging(nil)))
    #expect(try !belonging("work").isSame(as: belonging("work", .oauth)))
    #expect(try !belonging("work", .oauth).isSame(as: belonging("work", .oauth)))
  }

  @Test("A client is the same whatever scope its identifier holds")
  func scopes() throws {
    func client(_ scope: String, _ redirect: String = "callback") -> String {
      "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2F\(redirect)&scope=\(scope)"
    }
    let account = try belonging(.issuer, client: client("atproto"))
    #expect(
      try account.isSame(as: belonging(.issuer, client: client("atproto%20transition%3Ageneric")))
    )
    #expect(
      try account.isSame(
        as: belonging(.issuer, client: "http://localhost?scope=a&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback")
      )
    )
    #expect(try !account.isSame(as: belonging(.issuer, client: client("atproto", "other"))))
    #expect(try !account.isSame(as: belonging(.issuer, client: "http://localhost?")))
    let web = try belonging(.issuer, client: "https://app.example/client?scope=a")
    #expect(try !web.isSame(as: belonging(.issuer, client: "https://app.example/client?scope=b")))
  }

  @Test("Credentials without a backend belong to an account of the same known issuer")
  func issuers() throws {
    for source in [AccountSource.issuer, .user, nil] {
      let known = try belonging(source)
      #expect(try !known.isSame(as: belonging(.issuer, issuer: "https://evil.example")))
      #expect(try !known.isSame(as: belonging(.user, issuer: "https://evil.example")))
      #expect(try !known.isSame(as: belonging(.issuer, issuer: nil)))
      #expect(try !belonging(.issuer).isSame(as: belonging(source, issuer: nil)))
    }
    let nowhere = try belonging(.issuer, issuer: nil)
    #expect(!nowhere.isSame(as: nowhere))
  }

  @Test("Credentials of two user files with a DID belong together even if one lacks the issuer")
  func files() throws {
    for (one, two) in [(AccountSource.user, AccountSource?.some(.user)), (.user, nil)] {
      #expect(try belonging(one).isSame(as: belonging(two, issuer: nil)))
      #expect(try belonging(two, issuer: nil).isSame(as: belonging(one)))
      let alice = try belonging(one, subject: "alice")
      #expect(try !alice.isSame(as: belonging(two, subject: "alice", issuer: nil)))
      let nowhere = try belonging(one, subject: "alice", issuer: nil)
      #expect(try nowhere.isSame(as: belonging(two, subject: "alice", issuer: nil)))
    }
  }

  @Test("Credentials from a backend belong to its account after a renewal found the issuer")
  func renewedBackend() throws {
    #expect(try belonging(Self.mine).isSame(as: belonging(Self.mine, issuer: nil)))
  }

  @Test("Credentials for other resources belong to another account, in whatever order they are named")
  func resources() throws {
    func account(_ resources: String...) throws -> Belonging {
      var belonging = try belonging(.issuer)
      belonging.resources = Set(try resources.map { try ResourceIndicator($0) })
      return belonging
    }
    let (a, b) = ("https://a.example/mcp", "https://b.example/mcp")
    #expect(try account(a, b).isSame(as: account(b, a)))
    #expect(try !account(a).isSame(as: account(b)))
    #expect(try !account(a).isSame(as: account()))
    #expect(try !account(a).isSame(as: account(a, b)))
  }

  @Test("A client that its issuer registered is the same under each of its identifiers, at that issuer alone")
  func registered() throws {
    func registered(
      _ client: String,
      _ source: AccountSource? = .issuer,
      issuer: String? = "https://issuer.example",
      subject: String = "alice"
    ) throws -> Belonging {
      var belonging = try belonging(source, subject: subject, issuer: issuer, client: client)
      belonging.isRegistered = true
      return belonging
    }
    #expect(try registered("1").isSame(as: registered("2")))
    #expect(try !registered("1").isSame(as: registered("2", issuer: "https://evil.example")))
    #expect(try !registered("1", issuer: nil).isSame(as: registered("2", issuer: nil)))
    #expect(try !registered("1").isSame(as: registered("2", subject: "bob")))
    #expect(try !registered("1").isSame(as: belonging(.issuer, subject: "alice", client: "2")))
    #expect(try !registered("1").isSame(as: registered("2", .user)))
    #expect(try !registered("1", Self.other).isSame(as: registered("2", Self.other)))
  }
}
