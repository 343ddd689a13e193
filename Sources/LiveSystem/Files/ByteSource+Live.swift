import AcctPorts
import Dispatch
import Glibc
import PrivateFiles

extension ByteSource {
  /// A file, read from its beginning.
  ///
  /// - Parameter path: As the user gave it.
  /// - Returns: The source.
  /// - Throws: ``StreamFailure/failed(name:reason:)``.
  static func file(_ path: String) throws(StreamFailure) -> ByteSource {
    let reader: PartReader
    do { reader = try PartReader(path) } catch { throw .failed(name: path, reason: error.reason) }
    return ByteSource(length: reader.regularSize, reading: reader)
  }

  /// An open descriptor with another owner, such as standard input.
  static func descriptor(_ number: Int32, _ name: String) -> ByteSource {
    // A pipe that holds more takes fewer turns (F_SETPIPE_SZ); the call fails for other files, and
    // for a user with too many such pipes, and then changes nothing.
    _ = fcntl(number, 1031, Int32(1 << 20))
    // The position in a file, and its other readers, are not known: only its end tells.
    return ByteSource(length: nil, reading: PartReader(number, name))
  }

  private init(length: Int64?, reading reader: PartReader) {
    self.init(length: length) { () async throws(StreamFailure) in try await reader.next() }
  }
}

/// Reads a descriptor part by part, on a thread of its own, where waiting blocks no other task.
private final class PartReader: Sendable {
  private static let partSize = 1 << 20

  private let number: Int32
  private let name: String
  private let isOwn: Bool
  private let queue = DispatchQueue(label: "acct.source")

  init(_ number: Int32, _ name: String) {
    self.number = number
    self.name = name
    isOwn = false
  }

  /// Opens a file for itself.
  init(_ path: String) throws(FileError) {
    number = try openFile(path, O_RDONLY)
    name = path
    isOwn = true
  }

  deinit { if isOwn { close(number) } }

  /// The size of a regular file, in bytes; `nil` where only its end tells, as in /proc, whose files
  /// say 0.
  var regularSize: Int64? {
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
    return Int64(status.st_size)
  }

  func next() async throws(StreamFailure) -> [UInt8]? {
    let outcome: Result<[UInt8], FileError> = await withCheckedContinuation { caller in
      queue.async { [self] in
        caller.resume(returning: Result { () throws(FileError) in try readPart(number, limit: Self.partSize) })
      }
    }
    switch outcome {
    case .success(let part): return part.isEmpty ? nil : part
    case .failure(let fileError): throw .failed(name: name, reason: fileError.reason)
    }
  }
}
