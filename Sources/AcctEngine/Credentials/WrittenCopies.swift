import AcctModel

/// What a move that is not over may have written of each account to a shared keyring.
///
/// Whether another machine has renewed a copy since an interrupted move, no clock tells: it has, if the copy is none that
/// this move has written or found.
struct WrittenCopies: Equatable, Sendable {
  private var states: [AccountID: Set<State>] = [:]

  init() {}

  /// What a server's answer changes in an account's record, as it is written there.
  private struct State: Hashable {
    var validatedAt: Timestamp?
    var expiresAt: Timestamp?

    init(_ account: Account) {
      validatedAt = account.validatedAt
      expiresAt = account.tokenLifetime.expiresAt
    }

    init?(_ words: some Collection<Substring>) {
      guard words.count == 2, let first = words.first, let last = words.dropFirst().first else { return nil }
      do throws(ParseError) {
        validatedAt = first == "-" ? nil : try Timestamp(String(first))
        expiresAt = last == "-" ? nil : try Timestamp(String(last))
      } catch {
        return nil
      }
    }

    var words: String { "\(validatedAt?.description ?? "-") \(expiresAt?.description ?? "-")" }
  }

  /// Notes an account that is about to be written, or was found and is about to be written over.
  mutating func note(_ account: Account) { states[account.id, default: []].insert(State(account)) }

  /// Whether an account as it is there was written by another machine; `nil` if this move has never noted it.
  func areOthers(_ account: Account) -> Bool? { states[account.id].map { !$0.contains(State(account)) } }

  /// Reads the lines of the file; what is none is skipped.
  init(lines: some Sequence<Substring>) {
    for line in lines {
      let words = line.split(separator: " ")
      guard let first = words.first, let id = try? AccountID(String(first)), let state = State(words.dropFirst())
      else { continue }
      states[id, default: []].insert(state)
    }
  }

  /// One for each state of an account, in an order of their own.
  var lines: String { states.flatMap { id, states in states.map { "\(id) \($0.words)\n" } }.sorted().joined() }
}
