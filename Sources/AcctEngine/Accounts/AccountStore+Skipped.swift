package import AcctModel
import AcctPorts
import StrictJSON
import Text

extension EngineContext {
  /// The accounts whose files are not used; none if they can't be listed, which is a failure of its own.
  package func skippedAccounts() -> [SkippedAccount] {
    do throws(EngineError) { return skipped(try accountStore.listing().damaged) } catch { return [] }
  }

  /// Reads files that are not used again, to name their accounts.
  package func skipped(_ ids: [AccountID]) -> [SkippedAccount] { ids.map(accountStore.skipped) }
}

extension AccountStore {
  /// Reads a file that is not used again, to name its account.
  func skipped(_ id: AccountID) -> SkippedAccount { examine(id).account }

  /// The first of some files that are not used whose account has this name or identifier; nothing may be sought in its
  /// place.
  func skipped(_ ids: [AccountID], answeringTo reference: String) -> SkippedAccount? {
    ids.lazy.map(skipped).first { $0.name?.description == reference || $0.id.description == reference }
  }

  /// The first of some files that are not used whose text has one of these origins.
  package func skipped(_ ids: [AccountID], with origins: [Origin]) -> SkippedAccount? {
    let searches = origins.map { ByteSearch(of: JSON.string($0.description).serialized()) }
    return ids.lazy.map(examine).first { found in searches.contains { $0.isIn(found.text) } }?.account
  }

  private func examine(_ id: AccountID) -> (account: SkippedAccount, text: [UInt8]) {
    let (path, text, isOwn) = world.files.inspect(id)
    var flaw = SkippedAccount.Flaw.damaged
    do throws(FilesFailure) {
      _ = try world.files.read(.account(id))
      if let version = value(of: "version", in: text), version != "1" {
        flaw = .newer
      } else if let other = AccountFile.decode(text)?.id, other != id {
        flaw = .renamed(other)
      }
    } catch {
      if case .unsafe(_, let reason) = error { flaw = isOwn ? .mode(reason: reason) : .unsafe(reason: reason) }
    }
    let name = value(of: "name", in: text).flatMap { try? AccountName($0) }
    return (SkippedAccount(id: id, name: name, path: path, flaw: flaw), text)
  }

  /// The value of a member in the text of an object that need not be whole; `nil` for one that is cut short.
  private func value(of name: String, in text: [UInt8]) -> String? {
    guard let start = ByteSearch(of: Array("\"\(name)\":".utf8)).end(in: text) else { return nil }
    let rest = text[start...]
    guard let quote = rest.first, quote == UInt8(ascii: "\"") else {
      return String(decoding: rest.prefix(while: \.isASCIIDigit), as: UTF8.self)
    }
    let value = rest.dropFirst().prefix { $0 != quote }
    return value.endIndex < text.endIndex ? String(decoding: value, as: UTF8.self) : nil
  }
}
