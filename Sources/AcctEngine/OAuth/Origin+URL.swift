package import AcctModel

extension Origin {
  /// Returns the URL of a resource of this origin.
  ///
  /// - Parameter path: Begins with `/`.
  /// - Returns: Its URL.
  /// - Throws: ``InputError/malformed(_:)``.
  package func url(_ path: String) throws(EngineError) -> HTTPURL {
    do { return try HTTPURL("\(self)\(path)") } catch { throw .input(.malformed(error)) }
  }
}
