import AcctModel

/// The user's own descriptions of servers, one file each.
package struct ProviderFiles: Sendable {
  /// The names of the files that are there, without `.json`, in no order.
  package var names: @Sendable () throws(FilesFailure) -> [String]
  /// Reads a file that only the user can change; `nil` if there is none of that name.
  package var read: @Sendable (_ name: String) throws(FilesFailure) -> [UInt8]?
  /// Where the file of a name is, or would be, for people.
  package var path: @Sendable (_ name: String) -> String

  package init(
    names: @escaping @Sendable () throws(FilesFailure) -> [String],
    read: @escaping @Sendable (_ name: String) throws(FilesFailure) -> [UInt8]?,
    path: @escaping @Sendable (_ name: String) -> String
  ) {
    self.names = names
    self.read = read
    self.path = path
  }

  /// None at all.
  package static let none = ProviderFiles(
    names: { () throws(FilesFailure) in [] },
    read: { _ throws(FilesFailure) in nil },
    path: { "\($0).json" }
  )
}
