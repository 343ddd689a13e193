import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// Two machines that share a keyring, and the server of their account.
final class Fleet: Sendable {
  let engine = InMemorySharedEngine()
  let first = RecordedWorld()
  let second = RecordedWorld()
  let firstKeyring: InMemorySharedKeyring
  let secondKeyring: InMemorySharedKeyring
  private let renewals = Mutex<[Answer]>([])
  private let forms = Mutex<[String]>([])

  typealias Answer = Result<HTTPResponse, HTTPFailure>

  init() {
    firstKeyring = InMemorySharedKeyring("first", on: engine)
    secondKeyring = InMemorySharedKeyring("second", on: engine)
    first.share(firstKeyring, number: 1)
    second.share(secondKeyring, number: 100)
    for machine in [first, second] { machine.serve { request throws(HTTPFailure) in try self.respond(request) } }
  }

  /// Adds an account with a refresh token on the first machine, shows it on the second, and lets time pass until so
  /// many seconds are left of its token.
  func addAccount(left: Int64, _ answers: Answer...) async {
    let handoff = Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"])
    #expect(await first.add(handoff) == 0, "\(first.err)")
    #expect(await second.acct("list") == 0, "\(second.err)")
    #expect(await second.acct("switch", "bob.example.com") == 0, "\(second.err)")
    pass(3600 - left)
    renewals.withLock { $0 = answers }
    engine.forgetCalls()
  }

  func pass(_ seconds: Int64) {
    first.now += seconds
    second.now += seconds
  }

  /// The token requests of both machines, as their refresh tokens.
  var spent: [String] { forms.withLock { $0 } }

  static func renewed(_ number: Int) -> Answer {
    .success(
      .json(
        #"{"access_token":"new\#(number)","token_type":"Bearer","expires_in":3600,"#
          + #""refresh_token":"r\#(number)"}"#
      )
    )
  }

  /// An item of the only account, as the engine has it.
  func stored(_ kind: ItemKind) -> String? { engine.accounts.values.first?.items[kind].map { text(of: $0) } }

  /// The record of the only account, as the engine has it.
  var record: String { String(decoding: engine.accounts.values.first?.record ?? [], as: UTF8.self) }

  private func respond(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    switch request.url.path {
    case "/things": return request.carries(bearer: "opaque-bob") ? .json("{}", 401) : .json("{}")
    case "/token":
      let fields = (request.body.map { text(of: $0) } ?? "").split(separator: "&")
      let token = fields.first { $0.hasPrefix("refresh_token=") }?.dropFirst(14)
      forms.withLock { $0.append(token.map(String.init) ?? "") }
      return try renewals.withLock { $0.isEmpty ? .success(.json("{}", 500)) : $0.removeFirst() }.get()
    default: return try FakeIssuer().respond(request)
    }
  }
}
