/// A folder that only its owner can touch, and the files in it.
///
/// The folder's own name and everything below it are opened step by step, and each step must belong
/// to the effective user and be closed to other writers. A step may be a link of this user's to a
/// folder of theirs, as tools make it that keep settings elsewhere; a file is never one. The folders
/// above it are the system's and the user's: they may be links, and are created (0700) where they
/// are missing.
///
/// Nothing is created by reading. A folder of our own that others may *read* is tightened to 0700
/// before something is written to it, since a careless umask is the usual cause and refusing would
/// only lock its owner out; one that others may *write* to is refused, since they may already have
/// used it.
package struct PrivateFolder: Sendable {
  /// The path as people know it; the files are reached through descriptors.
  package let path: String
  /// The folder that is opened as any path is; always `/`-terminated, or empty.
  let base: String
  /// The names below `base`, each opened without following another user's link.
  let chain: [String]
  /// Returns the random part of a temporary file's name.
  let suffix: @Sendable () -> String

  /// Names a folder; nothing is opened or created yet.
  ///
  /// - Parameters:
  ///   - path: The folder; a trailing slash is ignored.
  ///   - suffix: The random part of a temporary file's name; 64 random bits if not given.
  package init(
    at path: String,
    suffix: @escaping @Sendable () -> String = { String(UInt64.random(in: .min ... .max), radix: 16) }
  ) {
    // As String: to append a substring, the run-time searches every conformance in the binary.
    let parts = path.split(separator: "/").map(String.init)
    self.path = path
    base = (path.hasPrefix("/") ? "/" : "") + parts.dropLast().reduce("") { $0 + $1 + "/" }
    chain = [parts.last ?? "."]
    self.suffix = suffix
  }

  private init(_ parent: PrivateFolder, _ name: String) {
    path = parent.path(of: name)
    base = parent.base
    chain = parent.chain + [name]
    suffix = parent.suffix
  }

  /// Names a folder inside this one.
  package func subfolder(_ name: String) -> PrivateFolder { PrivateFolder(self, name) }

  /// The path of the first folder that is opened step by step: this one, or one above it that is acct's as well.
  package var outermost: String { base + (chain.first ?? "") }

  /// The path of a file in this folder, for people.
  package func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// Checks that a name stays within this folder and is not that of a temporary file.
  func check(_ name: String) throws(PrivateFilesError) {
    let isUsable =
      !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
      && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
      && !name.hasPrefix(Self.temporaryPrefix)
    guard isUsable else { throw .failed(path: path(of: name), reason: "not usable as a file name") }
  }

  /// The prefix of a file's name while it is being written.
  static let temporaryPrefix = ".tmp-"
}
