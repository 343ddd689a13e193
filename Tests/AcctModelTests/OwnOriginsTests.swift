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
    var origins = OwnOrigins([old])
    origins.add([api, old], for: .user)
    origins.add([api], for: .resource)
    #expect(Array(origins) == [old, api])
    #expect(origins.reasons(for: old) == [.signIn, .user])
    #expect(origins.reasons(for: api) == [.resource, .user])
    #expect(origins.reasons(for: new).isEmpty)
    origins.remove(Place(api))
    #expect(Array(origins) == [old])
  }

  @Test("Own origins are replaced by a new sign-in, except those that the user allowed")
  func newSignIn() {
    var before = OwnOrigins([old])
    before.add([new], for: .resource)
    before.add([api], for: [.signIn, .user])
    var after = OwnOrigins([new])
    after.keepUsers(of: before)
    #expect(Array(after) == [new, api])
    #expect(after.reasons(for: new) == .signIn)
    #expect(after.reasons(for: api) == .user)
  }

  @Test("Own origins follow a server that moves, and keep its old place only if the user allowed it")
  func moves() {
    var origins = OwnOrigins([old])
    origins.move(from: old, to: new)
    #expect(Array(origins) == [new])
    origins.add([new], for: .user)
    origins.move(from: new, to: old)
    #expect(origins.reasons(for: old) == .signIn)
    #expect(origins.reasons(for: new) == .user)
    // An origin that only the user has allowed does not move.
    origins.move(from: new, to: api)
    #expect(Array(origins) == [new, old])
    origins = OwnOrigins([old, new])
    origins.move(from: old, to: new)
    #expect(Array(origins) == [new])
    origins.move(from: new, to: new)
    #expect(Array(origins) == [new])
  }

  @Test("A place adds its origin, and the longest that a URL is in tells how near it is")
  func places() throws {
    var origins = OwnOrigins([old])
    origins.add([try Place("https://api.example/team-a"), try Place("https://api.example/team-a/north/")], for: .user)
    #expect(Array(origins) == [old, api])
    #expect(
      origins.places.map(\.description) == [
        "https://old.example", "https://api.example/team-a", "https://api.example/team-a/north",
      ]
    )
    let paths = ["/team-a/north/x", "/team-a", "/team-ab", "/team-a/northern", "/"]
    let nearest = try paths.map { origins.nearestPlace(to: try HTTPURL("https://api.example\($0)"))?.path }
    #expect(nearest == ["/team-a/north", "/team-a", nil, "/team-a", nil])
    #expect(origins.nearestPlace(to: try HTTPURL("https://old.example/any")) == Place(old))
    #expect(origins.nearestPlace(to: try HTTPURL("https://new.example/team-a")) == nil)
  }

  @Test("An origin that is own as a whole stays so beside a place, whichever came first")
  func wholeBesidePlace() throws {
    let place = try Place("https://old.example/team-a")
    var first = OwnOrigins([old])
    first.add([place], for: .user)
    var last = OwnOrigins(places: [place], for: .user)
    last.add([old], for: .signIn)
    for origins in [first, last] {
      #expect(Set(origins.places) == [Place(old), place])
      #expect(origins.nearestPlace(to: try HTTPURL("https://old.example/team-b")) == Place(old))
      #expect(origins.reasons(for: old) == [.signIn, .user])
    }
    first.remove(place)
    #expect(first.places == [Place(old)])
    last.remove(Place(old))
    #expect(last.isEmpty)
  }

  @Test("The last place of an origin goes with the origin")
  func lastPlace() throws {
    let places = [try Place("https://old.example/a"), try Place("https://old.example/b")]
    var origins = OwnOrigins(places: places, for: .user)
    origins.remove(try Place("https://old.example/elsewhere"))
    origins.remove(places[0])
    #expect(origins.places == [places[1]])
    origins.remove(places[1])
    #expect(origins.isEmpty)
  }

  @Test("Places that the user allowed stay when the account is signed in anew")
  func placesStay() throws {
    let place = try Place("https://old.example/team-a")
    var after = OwnOrigins([old])
    after.keepUsers(of: OwnOrigins(places: [place], for: .user))
    #expect(after.places == [Place(old), place])
  }
}
