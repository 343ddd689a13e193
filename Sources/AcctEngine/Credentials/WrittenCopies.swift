import AcctModel

/// The copies that an unfinished move may have written to a shared keyring, by account.
///
/// No clock shows whether another machine has renewed a copy since an interrupted move: it has, if the copy is not one
/// that this move has written or found.
struct WrittenCopies: Equatable, Sendable {
  private var states: [AccountID: Set<State>] = [:]

  init() {}

  /// The members of an account's record that a server's answer changes, as the file has them.
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

  /// Notes an account that is about to be written, or was found and is about to be overwritten.
  mutating func note(_ account: Account) { states[account.id, default: []].insert(State(account)) }

  /// Returns `true` if another machine wrote this copy of an account; `nil` if this move has never noted the account.
  func areOthers(_ account: Account) -> Bool? { states[account.id].map { !$0.contains(State(account)) } }

  /// Parses the lines of the file; an invalid line is skipped.
  init(lines: some Sequence<Substring>) {
    for line in lines {
      let words = line.split(separator: " ")
      guard let first = words.first, let id = try? AccountID(String(first)), let state = State(words.dropFirst())
      else { continue }
      states[id, default: []].insert(state)
    }
  }

  /// One line for each state of an account, sorted.
  var lines: String { states.flatMap { id, states in states.map { "\(id) \($0.words)\n" } }.sorted().joined() }
}
