import AcctModel
import AcctTestSupport
import Release
import Secrets
import Testing

@Suite("A permit")
struct PermitTests {
  private let own: HTTPURL
  private let other: HTTPURL
  private let token: Token

  init() throws {
    own = try HTTPURL("https://own.example/path")
    other = try HTTPURL("https://other.example/path")
    token = try Token("made-up-token")
  }

  private func account(
    _ kind: Account.Kind = .oauth,
    _ type: Account.TokenType = .bearer,
    sentAs: StaticHeader? = nil,
    resources: [ResourceIndicator] = [],
    number: UInt8 = 1
  ) throws -> Account {
    Account(
      id: AccountID(random: InlineArray(repeating: number)),
      name: try AccountName("alice"),
      kind: kind,
      tokenType: type,
      identity: Identity(subject: nil, issuer: try Issuer("https://issuer.example"), clientID: nil),
      source: nil,
      origins: OwnOrigins([own.origin]),
      resources: resources,
      tokenLifetime: TokenLifetime(expiresAt: nil, canRenew: true),
      sentAs: sentAs,
      createdAt: .epoch
    )
  }

  private func refusal(_ account: Account, _ url: HTTPURL) -> AuthorizationError {
    .originRefused(url.origin, account: account.name, allowed: [own.origin])
  }

  @Test(
    "An account permits nothing to an origin that is not its own, in any form",
    arguments: [Account.TokenType.dpop, .bearer, .session, .guest, .static, .none]
  )
  func foreign(type: Account.TokenType) throws {
    let account = try account(.oauth, type)
    if type != .none {
      #expect(throws: refusal(account, other)) { try account.permit(to: other) }
    }
    #expect(throws: refusal(account, other)) { try account.permit(handingOverFor: other) }
    #expect(throws: refusal(account, other)) { try account.permit(handingOverFor: other, idToken: true) }
    #expect(throws: refusal(account, other)) { try account.permit(inBodyTo: other, idToken: false) }
    #expect(throws: refusal(account, other)) { try account.permit(lendingTo: other.origin, idToken: false) }
  }

  @Test("A token of the query is in no header line, and beside the user's lines it stays what it is")
  func query() throws {
    let account = try account(.static, .static, sentAs: StaticHeader(field: "appid", form: .query))
    let released = try account.permit(to: own).release(AccountToken(Token("a+/&="), of: account.id))
    #expect(released.openedFields.isEmpty)
    #expect(released.openedQuery == Secret("appid=a%2B%2F%26%3D"))
    #expect(released.beside([HeaderField("A", Secret("b"))]).openedQuery == released.openedQuery)
    #expect(released.openedToken == Secret("a+/&="))
    #expect(try self.account().permit(to: own).release(AccountToken(token, of: self.account().id)).openedQuery == nil)
  }

  @Test("A token is lent to the server that issued it, which need not be an own origin")
  func lending() throws {
    let account = try account()
    let issuer = try Origin("https://issuer.example")
    #expect(try account.permit(lendingTo: issuer, idToken: true).isForIDToken)
    let released = try account.permit(lendingTo: issuer, idToken: false).release(AccountToken(token, of: account.id))
    #expect(!released.isFor(HTTPURL(issuer)))
  }

  @Test("A token is sent in the form of its account")
  func forms() throws {
    func line(_ account: Account, asBearer: Bool = false) throws -> HeaderField? {
      try account.permit(to: own, asBearer: asBearer).release(AccountToken(token, of: account.id)).openedFields.first
    }
    func field(_ name: String, _ value: String) -> HeaderField { HeaderField(name, Secret(value)) }
    #expect(try line(account()) == field("Authorization", "Bearer made-up-token"))
    #expect(try line(account(.oauth, .dpop)) == field("Authorization", "DPoP made-up-token"))
    #expect(try line(account(.session, .session)) == field("Cookie", "sid=made-up-token"))
    #expect(try line(account(.session, .session), asBearer: true) == field("Authorization", "Bearer made-up-token"))
    #expect(try line(account(.guest, .guest)) == field("Authorization", "Bearer made-up-token"))
    let key = StaticHeader.Form.bare
    #expect(
      try line(account(.static, .static, sentAs: StaticHeader(field: "X-Key", form: key)))
        == field("X-Key", "made-up-token")
    )
    let bound = try account(.oauth, .dpop)
    #expect(throws: AuthorizationError.noBearer(bound)) { try bound.permit(to: own, asBearer: true) }
    #expect(throws: AuthorizationError.urlNeeded(bound.name)) { try bound.permitForEveryURL() }
    let unsent = try account(.oauth, .none)
    #expect(throws: AuthorizationError.notSent(unsent.name)) { try unsent.permit(to: own) }
  }

  @Test("A permit for every URL is one to print the lines, and to send them nowhere")
  func everyURL() throws {
    let account = try account()
    let released = try account.permitForEveryURL().release(AccountToken(token, of: account.id))
    #expect(released.openedFields == [HeaderField("Authorization", Secret("Bearer made-up-token"))])
    #expect(!released.isFor(own))
    #expect(throws: AuthorizationError.misdirected(own.origin)) { try released.opened(for: own) }
  }

  @Test("A permit releases its own account's token alone, for its recipient alone")
  func owners() throws {
    let (mine, yours) = (try account(), try account(number: 2))
    let permit = try mine.permit(to: own)
    #expect(throws: AuthorizationError.misdirected(own.origin)) {
      try permit.release(AccountToken(token, of: yours.id))
    }
    #expect(throws: AuthorizationError.misdirected(own.origin)) { try permit.release(token, in: "Bearer") }
    let purpose = try TokenPurpose(audience: "https://other.example", scope: nil)
    for wrong in [
      AccountToken(token, of: mine.id, for: purpose), AccountToken(token, of: mine.id, isIDToken: true),
    ] {
      #expect(throws: AuthorizationError.misdirected(own.origin)) { try permit.release(wrong) }
    }
    let released = try permit.release(AccountToken(token, of: mine.id))
    #expect(throws: AuthorizationError.misdirected(other.origin)) { try released.opened(for: other) }
    #expect(try released.opened(for: own).fields == released.openedFields)
    #expect(released.isFor(own))
    for url in [other, try own.resolving("/elsewhere")] { #expect(!released.isFor(url)) }
    let handed = try mine.permit(handingOverFor: own).release(AccountToken(token, of: mine.id))
    #expect(handed.openedToken == token.secret)
    #expect(!handed.isFor(own))
    #expect(handed.openedFields.isEmpty)
  }

  @Test("A token for one resource does not go to another's origin")
  func resources() throws {
    let account = try account(resources: [
      ResourceIndicator("https://own.example/path"), ResourceIndicator("https://other.example"),
    ])
    #expect(try account.permit(to: own).purpose == nil)
    let purpose = try #require(try TokenPurpose(audience: "https://other.example", scope: nil))
    let refusal = AuthorizationError.originRefused(own.origin, account: account.name, allowed: [other.origin])
    #expect(throws: refusal) { try account.permit(to: own, for: purpose) }
  }

  @Test("A server permits credentials to its own endpoints alone")
  func endpoints() throws {
    #expect(try Permit.to(own, among: [own, nil]).release(body: Secret("refresh_token=made-up")).isFor(own))
    let neighbour = try HTTPURL("https://own.example/other")
    for url in [other, neighbour] {
      #expect(throws: AuthorizationError.misdirected(url.origin)) { try Permit.to(url, among: [own, nil]) }
    }
  }
}
