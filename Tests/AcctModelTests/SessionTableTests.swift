import AcctModel
import AcctTestSupport
import Testing

/// The whole table once more, as a person would draw it: each state a line, each event a column,
/// and in each place the state after it and the action.
private let wall = """
  state          | fresh     | due          | spent        | guestSpent      | missing        | keyringLocked | keyringUnavailable | confirmed  | replaced   | ended                 | otherUser             | noAnswer                | signedIn   | removed
  valid          | valid use | expiring renew | expired stop | expired discard | signedOut stop | locked stop | unavailable stop | valid keep | valid keep | reauthRequired record | reauthRequired record | valid use               | valid keep | signedOut forget
  expiring       | valid use | expiring renew | expired stop | expired discard | signedOut stop | locked stop | unavailable stop | valid keep | valid keep | reauthRequired record | reauthRequired record | expiring useWhileUnpast | valid keep | signedOut forget
  expired        | valid use | expiring renew | expired stop | expired discard | expired stop   | expired stop | expired stop    | valid keep | valid keep | reauthRequired record | reauthRequired record | expired stop            | valid keep | signedOut forget
  locked         | valid use | expiring renew | expired stop | expired discard | signedOut stop | locked stop | unavailable stop | valid keep | valid keep | reauthRequired record | reauthRequired record | locked stop             | valid keep | signedOut forget
  unavailable    | valid use | expiring renew | expired stop | expired discard | signedOut stop | locked stop | unavailable stop | valid keep | valid keep | reauthRequired record | reauthRequired record | unavailable stop        | valid keep | signedOut forget
  signedOut      | valid use | expiring renew | expired stop | expired discard | signedOut stop | locked stop | unavailable stop | valid keep | valid keep | reauthRequired record | reauthRequired record | signedOut stop          | valid keep | signedOut forget
  reauthRequired | reauthRequired stop | reauthRequired stop | reauthRequired stop | reauthRequired stop | reauthRequired stop | reauthRequired stop | reauthRequired stop | reauthRequired stop | valid keep | reauthRequired stop | reauthRequired stop | reauthRequired stop | valid keep | signedOut forget
  """

@Suite("The table of session states")
struct SessionTableTests {
  @Test("Every state answers every event as the table says")
  func everyPair() throws {
    let rows = wall.split(separator: "\n").map { line in
      line.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
    }
    let events = try rows[0].dropFirst().map { try #require(SessionEvent(rawValue: $0)) }
    #expect(Set(events) == Set(SessionEvent.allCases))
    #expect(rows.count == SessionState.allCases.count + 1)
    for row in rows.dropFirst() {
      let state = try #require(SessionState(rawValue: row[0]))
      for (event, expected) in zip(events, row.dropFirst()) {
        let (next, action) = state.after(event)
        #expect("\(next) \(action)" == expected, "\(state), \(event)")
      }
    }
  }

  @Test("Only the user's command and the end of a guest token delete anything")
  func deletion() {
    for state in SessionState.allCases {
      for event in SessionEvent.allCases {
        switch state.after(event).action {
        case .forget: #expect(event == .removed)
        case .discard: #expect(event == .guestSpent)
        case .use, .renew, .useWhileUnpast, .stop, .keep, .record: break
        }
      }
    }
  }

  @Test("Only the server leads to reauthRequired; only a newer session, a sign-in or remove leaves it")
  func reauthentication() {
    for state in SessionState.allCases {
      for event in SessionEvent.allCases {
        let next = state.after(event).state
        if state == .reauthRequired {
          #expect((next != .reauthRequired) == [.replaced, .signedIn, .removed].contains(event))
        } else {
          #expect((next == .reauthRequired) == [.ended, .otherUser].contains(event))
        }
      }
    }
  }

  @Test("One good answer restores a session after any faults of keyring and network")
  func walks() {
    let troubles: [SessionEvent] = [.missing, .keyringLocked, .keyringUnavailable, .noAnswer, .due, .spent, .fresh]
    var generator = RepeatableNumbers(seed: 5)
    for _ in 0..<200 {
      var state = SessionState.valid
      for _ in 0..<500 {
        let (next, action) = state.after(troubles.randomElement(using: &generator) ?? .missing)
        #expect(next != .reauthRequired)
        #expect(action != .forget && action != .discard && action != .record)
        state = next
      }
      #expect(state.after(.fresh) == (.valid, .use))
    }
  }
}
