import AcctEngine
import AcctModel
import AcctPorts
import AcctRequests
import Testing

/// Every event in every state, without a server: what is done about it.
@Suite("The retry of a request")
struct RetryStateMachineTests {
  /// States, by the columns of the tables.
  enum State: String {
    /// A GET with a proof, nothing tried yet: two retries, redirects followed, a token that can be renewed.
    case fresh
    /// A new proof was sent.
    case challenged
    /// It was sent without `Expect`.
    case unannounced
    /// The token was renewed.
    case renewed
    /// One of two retries was used.
    case waited
    /// Ten redirects were followed.
    case followed
    /// All of that together, and no retry is left.
    case spent
    /// The request is a POST.
    case post
    /// The account has no key.
    case keyless
    /// The token cannot be renewed.
    case lasting
  }

  static let whole = """
    event         fresh     challenged unannounced renewed   waited    followed  spent   post      keyless lasting
    200           deliver   deliver    deliver     deliver   deliver   deliver   deliver deliver   deliver deliver
    cause         cause     cause      cause       cause     cause     cause     cause   cause     cause   cause
    401-nonce     challenge renew      challenge   challenge challenge challenge deliver challenge renew   challenge
    400-nonce     challenge deliver    challenge   challenge challenge challenge deliver challenge deliver challenge
    401-late      challenge renew      challenge   challenge challenge challenge deliver challenge renew   challenge
    401-proof     renew     renew      renew       deliver   renew     renew     deliver renew     renew   deliver
    401-token     renew     renew      renew       deliver   renew     renew     deliver renew     renew   deliver
    403           deliver   deliver    deliver     deliver   deliver   deliver   deliver deliver   deliver deliver
    403-in-7      deliver   deliver    deliver     deliver   deliver   deliver   deliver deliver   deliver deliver
    403-limit     wait-1    wait-1     wait-1      wait-1    wait-2    wait-1    deliver wait-1    wait-1  wait-1
    403-limit-7   wait-7    wait-7     wait-7      wait-7    wait-7    wait-7    deliver wait-7    wait-7  wait-7
    417           challenge challenge  deliver     challenge challenge challenge deliver challenge challenge challenge
    429           wait-1    wait-1     wait-1      wait-1    wait-2    wait-1    deliver wait-1    wait-1  wait-1
    429-in-7      wait-7    wait-7     wait-7      wait-7    wait-7    wait-7    deliver wait-7    wait-7  wait-7
    429-in-3600   wait-3600 wait-3600  wait-3600   wait-3600 wait-3600 wait-3600 deliver wait-3600 wait-3600 wait-3600
    429-in-3601   deliver   deliver    deliver     deliver   deliver   deliver   deliver deliver   deliver deliver
    503           wait-1    wait-1     wait-1      wait-1    wait-2    wait-1    deliver deliver   wait-1  wait-1
    503-in-7      wait-7    wait-7     wait-7      wait-7    wait-7    wait-7    deliver deliver   wait-7  wait-7
    302           follow    follow     follow      follow    follow    too-many  too-many deliver  follow  follow
    302-elsewhere elsewhere elsewhere  elsewhere   elsewhere elsewhere elsewhere elsewhere deliver elsewhere elsewhere
    renewed       wait-0    wait-0     wait-0      wait-0    wait-0    wait-0    wait-0  wait-0    wait-0  wait-0
    taken-over    wait-0    wait-0     wait-0      wait-0    wait-0    wait-0    wait-0  wait-0    wait-0  wait-0
    not-renewed   offline   offline    offline     offline   offline   offline   offline offline   offline offline
    unresolved    wait-1    wait-1     wait-1      wait-1    wait-2    wait-1    fail    wait-1    wait-1  wait-1
    unreachable   wait-1    wait-1     wait-1      wait-1    wait-2    wait-1    fail    wait-1    wait-1  wait-1
    no-proxy      wait-1    wait-1     wait-1      wait-1    wait-2    wait-1    fail    wait-1    wait-1  wait-1
    timed-out     wait-1    wait-1     wait-1      wait-1    wait-2    wait-1    fail    fail      wait-1  wait-1
    closed        wait-1    wait-1     wait-1      wait-1    wait-2    wait-1    fail    fail      wait-1  wait-1
    untrusted     fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    malformed     fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    too-large     fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    cancelled     fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    unsendable    fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    source        fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    inside        fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    """

  /// Where some of the body is gone; rows that are missing are as above.
  static let gone = """
    event         fresh     challenged unannounced renewed   waited    followed  spent   post      keyless lasting
    401-nonce     gone-401  renew      gone-401    gone-401  gone-401  gone-401  deliver gone-401  renew   gone-401
    400-nonce     gone-400  deliver    gone-400    gone-400  gone-400  gone-400  deliver gone-400  deliver gone-400
    401-late      gone-401  renew      gone-401    gone-401  gone-401  gone-401  deliver gone-401  renew   gone-401
    417           gone-417  gone-417   deliver     gone-417  gone-417  gone-417  deliver gone-417  gone-417 gone-417
    429           gone-429  gone-429   gone-429    gone-429  gone-429  gone-429  deliver gone-429  gone-429 gone-429
    429-in-7      gone-429  gone-429   gone-429    gone-429  gone-429  gone-429  deliver gone-429  gone-429 gone-429
    403-limit-7   gone-429  gone-429   gone-429    gone-429  gone-429  gone-429  deliver gone-429  gone-429 gone-429
    403-limit     gone-429  gone-429   gone-429    gone-429  gone-429  gone-429  deliver gone-429  gone-429 gone-429
    429-in-3600   gone-429  gone-429   gone-429    gone-429  gone-429  gone-429  deliver gone-429  gone-429 gone-429
    503           gone-503  gone-503   gone-503    gone-503  gone-503  gone-503  deliver deliver   gone-503 gone-503
    503-in-7      gone-503  gone-503   gone-503    gone-503  gone-503  gone-503  deliver deliver   gone-503 gone-503
    renewed       gone-401  gone-401   gone-401    gone-401  gone-401  gone-401  gone-401 gone-401 gone-401 gone-401
    taken-over    gone-401  gone-401   gone-401    gone-401  gone-401  gone-401  gone-401 gone-401 gone-401 gone-401
    unresolved    fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    unreachable   fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    no-proxy      fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    timed-out     fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    closed        fail      fail       fail        fail      fail      fail      fail    fail      fail    fail
    """

  /// The rows of a table by their events.
  private static func rows(_ table: String) -> [(event: String, cells: [String])] {
    table.split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return (words[0], Array(words.dropFirst()))
    }
  }

  @Test("An event has the action of the table, in every state", arguments: [true, false])
  func transitions(bodyIsWhole: Bool) throws {
    let setting = try RetrySetting()
    let table = Self.rows(Self.whole)
    let exceptions = bodyIsWhole ? [] : Self.rows(Self.gone)
    let states = try table[0].cells.map { try #require(State(rawValue: $0)) }
    #expect(Set(table.dropFirst().map(\.event)) == Set(setting.events(canRepeat: true).keys))
    for (name, cells) in table.dropFirst() {
      let cells = exceptions.first { $0.event == name }?.cells ?? cells
      let event = try #require(setting.events(canRepeat: bodyIsWhole)[name])
      try #require(cells.count == states.count, "\(name)")
      for (state, expected) in zip(states, cells) {
        var machine = setting.machine(in: state)
        #expect(setting.name(of: machine.next(after: event)) == expected, "\(name) while \(state)")
      }
    }
  }

  @Test("A redirect lets the next server ask for a nonce of its own")
  func nonceAfterRedirect() throws {
    let setting = try RetrySetting()
    let events = setting.events(canRepeat: true)
    var machine = setting.machine(in: .challenged)
    for (name, expected) in [("302", "follow"), ("401-nonce", "challenge"), ("401-nonce", "renew")] {
      let event = try #require(events[name])
      #expect(setting.name(of: machine.next(after: event)) == expected)
    }
  }

  @Test("A token of another process is renewed where it is refused, too, and no second one")
  func renewalByAnother() throws {
    let setting = try RetrySetting()
    let events = setting.events(canRepeat: true)
    for end in ["renewed", "taken-over"] {
      var machine = setting.machine(in: .fresh)
      for (name, expected) in [
        ("401-token", "renew"), ("taken-over", "wait-0"), ("401-token", "renew"), (end, "wait-0"),
        ("401-token", "deliver"),
      ] {
        let event = try #require(events[name])
        #expect(setting.name(of: machine.next(after: event)) == expected)
      }
    }
  }

  @Test("A redirect of a GET with a body is not followed, nor one without -L")
  func notFollowed() throws {
    let setting = try RetrySetting()
    let event = try #require(setting.events(canRepeat: true)["302"])
    for (method, follows, hasBody) in [("GET", true, true), ("GET", false, false), ("PUT", true, false)] {
      var machine = setting.machine(method, follows: follows, hasBody: hasBody)
      #expect(machine.next(after: event) == .deliver(because: nil))
    }
    var machine = setting.machine("HEAD", follows: true, hasBody: false)
    #expect(machine.next(after: event) == .follow(setting.target))
  }

  @Test("A pause without a word from the server doubles up to a minute")
  func pauses() throws {
    let setting = try RetrySetting()
    let event = try #require(setting.events(canRepeat: true)["429"])
    var machine = setting.machine("GET", retries: 9)
    let actions = (1...10).map { _ in setting.name(of: machine.next(after: event)) }
    #expect(actions == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { "wait-\($0)" } + ["deliver"])
  }

  @Test("A server that never changes its answer gets an end of it")
  func end() throws {
    let setting = try RetrySetting()
    for (name, event) in setting.events(canRepeat: true)
    where !["renewed", "taken-over"].contains(name) {
      var machine = setting.machine(in: .fresh)
      var isAtEnd = false
      // 2 retries, 10 redirects, a proof, a renewal, `Expect`, and the end.
      for _ in 1...16 where !isAtEnd {
        switch machine.next(after: event) {
        case .deliver, .fail: isAtEnd = true
        case .challenge, .renew, .wait, .follow: break
        }
      }
      #expect(isAtEnd, "\(name)")
    }
  }
}
