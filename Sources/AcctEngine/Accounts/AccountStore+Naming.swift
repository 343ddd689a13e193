import AcctModel
import AcctPorts

extension AccountStore {
  /// A free name: the requested one, or the same with the first free number.
  ///
  /// - Parameters:
  ///   - suggestion: The requested one.
  ///   - others: Names that are known to be taken elsewhere.
  ///   - entropy: For a name where none with a number is possible.
  /// - Returns: The name.
  /// - Throws: ``FilesError/failed(_:)``.
  func freeName(
    like suggestion: String,
    besides others: Set<AccountName> = [],
    _ entropy: Entropy
  ) throws(EngineError) -> AccountName {
    let taken = Set(try listing().accounts.map(\.name.description) + others.map(\.description))
    let base = (try? AccountName(suggestion))?.description ?? "account"
    let candidates = [base] + (2...).lazy.prefix(taken.count + 1).map { "\(base)-\($0)" }
    for candidate in candidates where !taken.contains(candidate) {
      if let name = try? AccountName(candidate) { return name }
    }
    // Only a name of the greatest length can't get a number: the identifier is always free.
    do { return try AccountName(entropy.accountID().description) } catch { throw .input(.malformed(error)) }
  }

  func requireFree(_ name: AccountName, besides others: Set<AccountName> = []) throws(EngineError) {
    guard !others.contains(name), try !listing().accounts.contains(where: { $0.name == name }) else {
      throw .selection(.nameTaken(name))
    }
  }
}
