package import Release

/// Makes the failure of a decision about a credential that of a use case.
///
/// - Throws: ``EngineError/authorization(_:)``.
package func permitted<Decision>(
  _ decide: @autoclosure () throws(AuthorizationError) -> Decision
) throws(EngineError) -> Decision {
  do { return try decide() } catch { throw .authorization(error) }
}
