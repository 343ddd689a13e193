import AcctModel
import Testing

@Suite("The own origins of an account")
struct OwnOriginsTests {
  let old: Origin
  let new: Origin
  let api: Origin

  init() throws {
    old = try Origin("https://old.example")
    new = try Origin("https://new.example")
    api = try Origin("https://api.example")
  }

  @Test("An own origin is listed once, with every reason")
  func reasons() {
    var origins: OwnOrigins = [old]
    origins.add([api, old], for: .user)
    origins.add([api], for: .resource)
    #expect(Array(origins) == [old, api])
    #expect(origins.reasons(for: old) == [.signIn, .user])
    #expect(origins.reasons(for: api) == [.resource, .user])
    #expect(origins.reasons(for: new).isEmpty)
    origins.remove(api)
    #expect(Array(origins) == [old])
  }

  @Test("Own origins are replaced by a new sign-in, except those that the user allowed")
  func newSignIn() {
    var before: OwnOrigins = [old]
    before.add([new], for: .resource)
    before.add([api], for: [.signIn, .user])
    var after: OwnOrigins = [new]
    after.keepUsers(of: before)
    #expect(Array(after) == [new, api])
    #expect(after.reasons(for: new) == .signIn)
    #expect(after.reasons(for: api) == .user)
  }

  @Test("Own origins follow a server that moves, and keep its old place only if the user allowed it")
  func moves() {
    var origins: OwnOrigins = [old]
    origins.move(from: old, to: new)
    #expect(Array(origins) == [new])
    origins.add([new], for: .user)
    origins.move(from: new, to: old)
    #expect(origins.reasons(for: old) == .signIn)
    #expect(origins.reasons(for: new) == .user)
    // An origin that only the user has allowed does not move.
    origins.move(from: new, to: api)
    #expect(Array(origins) == [new, old])
    origins = [old, new]
    origins.move(from: old, to: new)
    #expect(Array(origins) == [new])
    origins.move(from: new, to: new)
    #expect(Array(origins) == [new])
  }
}
