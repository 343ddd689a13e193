package import AcctPorts
package import StrictJSON

extension Files {
  /// Reads a file that is one JSON object of version 1.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - limit: The most bytes that it may have.
  /// - Returns: Its members; `nil` without the file, and for one that is damaged, which the next write makes anew.
  /// - Throws: ``FilesFailure``, and ``FilesFailure/newer(path:)`` for a later version, which the caller must not replace.
  package func members(of file: StoredFile, limit: Int = 1 << 20) throws(FilesFailure) -> JSONObject? {
    guard let bytes = try read(file), let members = (try? JSON(parsing: bytes, maximumBytes: limit))?.objectValue,
      let version = members["version"]?.numberValue?.integer
    else { return nil }
    guard version <= 1 else { throw .newer(path: inspect(file).path) }
    return members
  }
}
