import Glibc

/// Replaces a file that any user may read, such as one with metrics, atomically.
///
/// The folder may be one that other users write to, too. All is done in the open folder and to the open file: nothing
/// that others put at a name, before or meanwhile, is followed or gets another mode.
///
/// - Parameters:
///   - path: The file. A link that stands there is itself replaced.
///   - bytes: Its new contents.
/// - Throws: ``PrivateFilesError``, also for a folder whose files others can replace, and for a file of another user.
package func publish(_ path: String, _ bytes: Span<UInt8>) throws(PrivateFilesError) {
  let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
  let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
  guard !name.isEmpty, name != ".", name != ".." else { throw PrivateFilesError(path, .system(EISDIR)) }
  try at(path) { () throws(FileError) in
    let folder = try Descriptor.trusted(folder: slash.map { String(path[...$0]) } ?? ".")
    if let there = try folder.status(of: name), !there.isOwn {
      throw .distrusted(reason: "it belongs to another user")
    }
    let temporary = PrivateFolder.temporaryPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
    // The next run makes it again.
    try folder.replace(name, bytes, by: temporary, mode: 0o644, surviving: false)
  }
}
