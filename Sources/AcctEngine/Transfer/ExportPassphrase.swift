package import Secrets
import AcctPorts

/// The source of an export's passphrase: a file that the user names, or a prompt.
package struct ExportPassphrase: Sendable {
  private let context: EngineContext
  private let file: String?

  /// Sets the sources; nothing is read yet.
  ///
  /// - Parameters:
  ///   - context: Decides whether a person may be asked.
  ///   - file: The file that an option names; without it `ACCT_EXPORT_PASSPHRASE_FILE` counts.
  package init(_ context: EngineContext, file: String?) {
    self.context = context
    self.file = file ?? context.world.environment.variable("ACCT_EXPORT_PASSPHRASE_FILE")
  }

  /// The most bytes of a file with a passphrase.
  private static let limit = 4096

  /// A new passphrase, asked for twice since the input is not shown.
  ///
  /// - Throws: ``EngineError/transfer(_:)``, ``EngineError/cancelled``.
  package func new() throws(EngineError) -> Secret {
    if let file { return try read(file).line }
    let first = try ask(.newPassphrase)
    guard try ask(.passphraseAgain) == first else { throw .transfer(.passphrasesDiffer) }
    return first
  }

  /// The passphrase of an existing export: more than one where a file ends in CRLF, since the export may have been made
  /// with the CR.
  ///
  /// - Throws: ``EngineError/transfer(_:)``, ``EngineError/cancelled``.
  package func known() throws(EngineError) -> [Secret] {
    guard let file else { return [try ask(.passphrase)] }
    let (passphrase, withReturn) = try read(file)
    return [passphrase] + [withReturn].compactMap(\.self)
  }

  private func read(_ file: String) throws(EngineError) -> (line: Secret, withReturn: Secret?) {
    let contents: Secret
    do { contents = try context.world.secretFiles.read(file, Self.limit, .input) } catch {
      throw .transfer(.file(error))
    }
    let passphrase = contents.withoutLineEnd
    guard passphrase.line.count > 0 else { throw .transfer(.emptyPassphrase) }
    return passphrase
  }

  private func ask(_ prompt: Prompt) throws(EngineError) -> Secret {
    guard context.interaction == .allowed, context.world.terminal.canAsk() else { throw .transfer(.noPassphrase) }
    guard let answer = context.world.terminal.askSecret(context.words(prompt)) else { throw .cancelled }
    guard answer.count > 0 else { throw .transfer(.emptyPassphrase) }
    return answer
  }
}
