import AcctPorts
import Glibc
import PrivateFiles
import Synchronization

extension ByteSink {
  /// A file that the user named.
  ///
  /// A regular file, or one that is not there yet, is written beside its place and gets its name when it is whole. A
  /// file that can't be replaced, such as a device or a pipe, is written to as it is.
  ///
  /// - Parameter path: As the user gave it; links in it are followed.
  /// - Returns: The sink.
  /// - Throws: ``StreamFailure/failed(name:reason:)``.
  static func file(_ path: String) throws(StreamFailure) -> ByteSink {
    do throws(FileError) {
      var status = stat()
      let isThere = unsafe stat(path, &status) == 0
      guard isThere, status.st_mode & S_IFMT != S_IFREG else {
        let mode = isThere ? status.st_mode & 0o7777 : nil
        return ByteSink(try NewFile(path, mode: mode), named: path)
      }
      let number = try openFile(path, O_WRONLY)
      return ByteSink(OpenFile(number), named: path)
    } catch {
      throw .failed(name: path, reason: error.reason)
    }
  }

  /// An open descriptor with another owner, such as standard output.
  static func descriptor(_ number: Int32, _ name: String) -> ByteSink {
    ByteSink(
      write: { part throws(StreamFailure) in try writePart(part, to: number, name) },
      finish: {},
      discard: {},
      isAtomic: false
    )
  }

  private init(_ file: OpenFile, named name: String) {
    self.init(
      write: { part throws(StreamFailure) in try writePart(part, to: file.number, name) },
      finish: {},
      discard: {},
      isAtomic: false
    )
  }

  private init(_ file: NewFile, named name: String) {
    self.init(
      write: { part throws(StreamFailure) in try writePart(part, to: file.number, name) },
      finish: { () throws(StreamFailure) in
        do throws(FileError) { try file.takeName() } catch { throw .failed(name: name, reason: error.reason) }
      },
      discard: { file.remove() },
      isAtomic: true
    )
  }
}

private func writePart(_ part: [UInt8], to descriptor: Int32, _ name: String) throws(StreamFailure) {
  do { try writeAll(part.span, to: descriptor) } catch { throw .failed(name: name, reason: error.reason) }
}

/// A descriptor that is closed with its last user.
private final class OpenFile: Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }
}

/// A file that is written beside its place.
private final class NewFile: Sendable {
  let number: Int32
  private let path: String
  private let temporary: String
  private let isSettled = Mutex(false)

  /// - Parameters:
  ///   - path: The path that the file will have.
  ///   - mode: The permissions of the file that is there now, if one is.
  /// - Throws: The system's error.
  init(_ path: String, mode: mode_t?) throws(FileError) {
    // The file itself is replaced, and not the link that leads to it.
    guard let target = mode == nil ? path : resolved(path) else { throw .last }
    self.path = target
    let slash = self.path.lastIndex(of: "/").map(self.path.index(after:))
    let folder = self.path[..<(slash ?? self.path.startIndex)]
    temporary = "\(folder).acct-\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
    // A name that ends so is a folder's, which no file can take.
    guard slash != self.path.endIndex else { throw .system(EISDIR) }
    number = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL)
    if let mode, fchmod(number, mode) != 0 {
      let fileError = FileError.last
      remove()
      throw fileError
    }
  }

  deinit {
    remove()
    close(number)
  }

  func takeName() throws(FileError) {
    let failure: FileError? = isSettled.withLock { isSettled in
      guard !isSettled else { return .system(ENOENT) }
      guard unsafe rename(temporary, path) == 0 else { return .last }
      isSettled = true
      return nil
    }
    if let failure { throw failure }
  }

  func remove() {
    isSettled.withLock { isSettled in
      guard !isSettled else { return }
      isSettled = true
      unsafe unlink(temporary)
    }
  }
}
