import AcctModel

/// The user's own descriptions of servers, one file each.
package struct ProviderFiles: Sendable {
  /// A file that was read.
  package struct File: Equatable, Sendable {
    package var bytes: [UInt8]
    /// The file's path, for people.
    package var path: String

    package init(_ bytes: [UInt8], at path: String) {
      self.bytes = bytes
      self.path = path
    }
  }

  /// The names of the files that are there, without `.json`, in no order.
  package var names: @Sendable () throws(FilesFailure) -> [String]
  /// Reads a file that only the user can change; `nil` if there is none of that name.
  package var read: @Sendable (_ name: String) throws(FilesFailure) -> File?
  /// Returns the path at which the file of a name would be written, for people.
  package var path: @Sendable (_ name: String) -> String

  package init(
    names: @escaping @Sendable () throws(FilesFailure) -> [String],
    read: @escaping @Sendable (_ name: String) throws(FilesFailure) -> File?,
    path: @escaping @Sendable (_ name: String) -> String
  ) {
    self.names = names
    self.read = read
    self.path = path
  }

  /// No files at all.
  package static let none = ProviderFiles(
    names: { () throws(FilesFailure) in [] },
    read: { _ throws(FilesFailure) in nil },
    path: { "\($0).json" }
  )
}
