import AcctCrypto
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets
import StrictJSON

/// The record of a `.env` file whose values are references now.
///
/// It has no value: each is the token of its account, and the characters that had a backslash are enough to write it as it
/// was.
struct EnvRewrite: Equatable, Sendable {
  var path: String
  var salt: [UInt8]
  /// The SHA-256 of the file before; `nil` where it was rewritten several times.
  var before: [UInt8]?
  var values: [Value]

  /// A value that a reference took the place of.
  struct Value: Equatable, Sendable {
    var variable: String
    var reference: String
    var account: AccountID
    /// The characters that had a backslash before them.
    var escapes: String
  }

  /// - Parameters:
  ///   - path: The file.
  ///   - contents: The file before.
  ///   - values: What is replaced in it.
  ///   - entropy: Makes the salt of the digest.
  init(of path: String, _ contents: Secret, _ values: [Value], _ entropy: Entropy) {
    self.path = path
    salt = entropy.bytes(16)
    before = Self.digest(contents, salt)
    self.values = values
  }

  /// Returns `true` if these are the bytes that the file had.
  func isExact(_ contents: Secret) -> Bool { Self.digest(contents, salt) == before }

  private static func digest(_ contents: Secret, _ salt: [UInt8]) -> [UInt8] {
    contents.withBytes { AcctPrograms.digest(of: $0, Secret(salt)) }
  }
}

extension EngineContext {
  /// Records that a file is rewritten, beside what an earlier time has replaced in it.
  func note(_ rewrite: EnvRewrite) throws(EngineError) {
    var rewrites = try envRewrites()
    var rewrite = rewrite
    if let index = rewrites.firstIndex(where: { $0.path == rewrite.path }) {
      let earlier = rewrites.remove(at: index)
      rewrite.values = earlier.values.filter { !rewrite.values.contains($0) } + rewrite.values
      rewrite.before = nil
    }
    try store(setupRecords(), rewrites + [rewrite])
  }

  /// Forgets what was replaced in a file.
  func forgetRewrite(of path: String) throws(EngineError) {
    try store(setupRecords(), envRewrites().filter { $0.path != path })
  }
}

extension EnvRewrite {
  var json: JSON {
    [
      "path": .string(path), "salt": .string(Base64URL.encode(salt.span)),
      "before": JSON(before.map { Base64URL.encode($0.span) }),
      "values": .array(
        values.map {
          [
            "variable": .string($0.variable), "reference": .string($0.reference),
            "account": .string($0.account.description), "escapes": .string($0.escapes),
          ]
        }
      ),
    ]
  }

  init?(_ json: JSON) {
    guard let object = json.objectValue, let path = object["path"]?.stringValue,
      let salt = object["salt"]?.stringValue.flatMap({ try? Base64URL.decode($0) })
    else { return nil }
    self.path = path
    self.salt = salt
    before = object["before"]?.stringValue.flatMap { try? Base64URL.decode($0) }
    values = (object["values"]?.arrayValue ?? []).compactMap { json in
      guard let value = json.objectValue, let variable = value["variable"]?.stringValue,
        let reference = value["reference"]?.stringValue,
        let account = value["account"]?.stringValue.flatMap({ try? AccountID($0) }),
        let escapes = value["escapes"]?.stringValue
      else { return nil }
      return Value(variable: variable, reference: reference, account: account, escapes: escapes)
    }
  }
}

/// A change of values in a `.env` file, to be shown before it is made.
struct EnvChange: Sendable {
  var file: SettingsFile
  let contents: Secret
  /// The values that are changed, in the order of the file.
  var values: [(entry: EnvFile.Entry, new: Secret)]
  /// `true` if the new values are secrets, and the old ones references.
  var isUndo = false

  /// The file after the change.
  var changed: Secret { EnvFile.replacing(values.map { ($0.entry.place, $0.new) }, in: contents) }

  /// The lines that change, as a diff without context: secrets are not shown, nor what follows a value.
  func diff(_ path: String) -> [String] {
    guard !values.isEmpty else { return [] }
    let lines = contents.withBytes { bytes in
      values.flatMap { entry, new in
        let (start, quote) = (bytes.lineStart(of: entry), entry.quote.map { "\($0)" } ?? "")
        let head = bytes.string(start..<entry.place.lowerBound)
        let (old, new) = isUndo ? (entry.value.shownText, "…") : ("…", new.shownText)
        return ["@@ -\(entry.line) +\(entry.line) @@", "-\(head)\(old)\(quote)", "+\(head)\(new)\(quote)"]
      }
    }
    return (["--- \(path)", "+++ \(path)"] + lines).map(printableLine)
  }
}

extension Span<UInt8> {
  /// The beginning of the line that has the variable's name: between both are no breaks.
  fileprivate func lineStart(of entry: EnvFile.Entry) -> Int {
    var start = entry.place.lowerBound
    while start > 0, !"\r\n".utf8.contains(self[start - 1]) { start -= 1 }
    return start
  }
}

extension EngineContext {
  /// Reads a `.env` file that is to be changed.
  ///
  /// - Throws: ``SetupError/file(_:)``; ``SetupError/notOurs(path:_:isUndo:)``; ``EnvError``.
  func envFile(_ path: String, isUndo: Bool) throws(EngineError) -> (SettingsFile, Secret, EnvFile) {
    let file: SettingsFile
    do { file = try world.foreignFiles.settings.read(path, EnvFile.limit) } catch { throw .setup(.file(error)) }
    guard let contents = file.contents else { throw .migration(.file(.missing(path: path))) }
    if let obstacle = file.obstacle { throw .setup(.notOurs(path: path, obstacle, isUndo: isUndo)) }
    return (file, contents, try parsedEnv(contents, path))
  }

  func parsedEnv(_ contents: Secret, _ path: String) throws(EngineError) -> EnvFile {
    do { return try EnvFile(parsing: contents) } catch { throw .env(.malformed(path: path, error)) }
  }

  /// Writes a file that was read before.
  ///
  /// - Throws: ``SetupError/file(_:)``.
  func write(_ change: EnvChange) throws(EngineError) {
    do { try world.foreignFiles.settings.replace(change.file, change.changed, false, []) } catch {
      throw .setup(.file(error))
    }
  }

  /// Plans to put the values back that references took the place of: those of the accounts as they are now.
  ///
  /// - Throws: ``EnvError/tokenMissing(variable:_:_:)``; then nothing may be changed.
  func undoing(_ rewrite: EnvRewrite) async throws(EngineError) -> EnvChange {
    let (file, contents, env) = try envFile(rewrite.path, isUndo: true)
    var change = EnvChange(file: file, contents: contents, values: [], isUndo: true)
    for entry in env.entries {
      guard
        let value = rewrite.values.last(where: {
          $0.variable == entry.variable && Secret($0.reference) == entry.value
        })
      else { continue }
      do throws(EngineError) {
        let token = try await handedOver(value.account)
        change.values.append((entry, EnvFile.written(token, escaping: value.escapes)))
      } catch .cancelled {
        throw .cancelled
      } catch {
        throw .env(.tokenMissing(variable: entry.variable, value.reference, error))
      }
    }
    return change
  }

  private func handedOver(_ id: AccountID) async throws(EngineError) -> Secret {
    guard let account = try accountStore.account(id) else {
      throw .selection(.unknown(reference: id.description, selectedBy: .option, candidates: []))
    }
    let permit: Permit
    do { permit = try account.permit(handingOverFor: nil) } catch { throw .authorization(error) }
    return try await permit.release(TokenProvider(self, .allowed).grant(to: account, under: permit)).openedToken
  }
}
