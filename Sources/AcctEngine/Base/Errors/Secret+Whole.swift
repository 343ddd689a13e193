package import AcctModel
package import Secrets

extension EngineError {
  /// The failure to write a value in a format that has no form for it.
  package init(_ flaw: OutputFlaw) { self = .files(.unwritable(flaw)) }
}

extension Secret {
  /// The text that a format makes of its values.
  ///
  /// - Parameter write: Writes the values.
  /// - Returns: The text.
  /// - Throws: ``FilesError/unwritable(_:)``.
  package static func whole(_ write: () throws(OutputFlaw) -> Secret) throws(EngineError) -> Secret {
    do { return try write() } catch { throw EngineError(error) }
  }
}
