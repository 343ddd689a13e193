import AcctPorts
import Glibc
import PrivateFiles

/// Makes a folder for the user alone that is gone with the session, or at the latest with the machine's.
///
/// - Parameters:
///   - folders: Has the runtime folder.
///   - variable: Returns an environment variable.
/// - Returns: The path.
/// - Throws: ``SecretFileFailure/failed(path:reason:)``.
func makeFolder(
  _ folders: Folders,
  _ variable: (_ name: String) -> String?
) throws(SecretFileFailure) -> String {
  var places = [absoluteOnly(variable("TMPDIR")), "/dev/shm"].compactMap(\.self)
  // Without a runtime folder its files lie with those that stay.
  if folders.run.path != folders.state.path, (try? folders.run.prepare()) != nil {
    places.insert(folders.run.path, at: 0)
  }
  var failure = SecretFileFailure.missing(path: "")
  for place in places {
    var template = Array("\(place)/acct-XXXXXX".utf8CString)
    if unsafe mkdtemp(&template) != nil {
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    failure = .failed(path: place, reason: FileError.last.reason)
  }
  throw failure
}

/// Removes a folder of ``makeFolder(_:_:)`` with its files.
@Sendable func removeFolder(_ path: String) {
  for name in (try? PrivateFolder(at: path).names()) ?? [] { unsafe unlink("\(path)/\(name)") }
  unsafe rmdir(path)
}
