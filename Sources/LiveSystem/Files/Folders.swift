package import AcctPorts
import CLinux
import Glibc
package import PrivateFiles

/// The folders that acct's files lie in, by the XDG Base Directory specification.
package struct Folders: Sendable {
  /// Permanent data: accounts, the vault.
  package let data: PrivateFolder
  /// Replaceable data: limits; and the locks.
  package let state: PrivateFolder
  /// Data of the session: nonces, the proxy's socket.
  package let run: PrivateFolder

  /// The folder of files that the user writes for acct to read: descriptions of servers.
  package let config: PrivateFolder

  /// The folders that such descriptions are read from, the first before the others: ``config``, and with `ACCT_HOME`
  /// that of the user's other programs, too.
  package let configurations: [PrivateFolder]

  /// The folders of such descriptions for all users: the administrator's, then the distribution's.
  package var systemConfigurations: [String] {
    let folders = administrators.split(separator: ":").map(String.init)
    return (folders.filter { $0.hasPrefix("/") } + ["/usr/share"]).map { "\($0)/acct" }
  }

  /// A list of folders, as `XDG_CONFIG_DIRS` has it; taken apart only where one is looked into.
  private let administrators: String

  /// All of acct's folders lie in these; one may be named twice.
  package let roots: [PrivateFolder]

  /// The folder of the embedded keyring.
  package var vault: PrivateFolder { data.subfolder("vault") }

  /// The folder for copies of a keyring that several machines share.
  package var shared: PrivateFolder { data.subfolder("shared") }

  /// The folder that records when another machine's renewal was first seen.
  package var sightings: PrivateFolder { state.subfolder("sightings") }

  /// The locks of tokens, each used by one process at a time.
  package var tokenLocks: PrivateFolder { run.subfolder("tokens") }

  /// Finds the folders; nothing is opened or created yet.
  ///
  /// - Parameter variable: Returns an environment variable, and `nil` for one that is empty.
  package init(_ variable: (_ name: String) -> String?) {
    func base(_ name: String, _ fallback: String) -> PrivateFolder {
      // "All paths must be absolute. If an implementation encounters a relative path […] it
      // should consider the path invalid and ignore it."
      let path = absoluteOnly(variable(name)) ?? "\(home(variable))/\(fallback)"
      return PrivateFolder(at: "\(path)/acct")
    }
    administrators = variable("XDG_CONFIG_DIRS") ?? "/etc/xdg"
    let users = base("XDG_CONFIG_HOME", ".config")
    if let home = variable("ACCT_HOME") {
      let folder = PrivateFolder(at: absolute(home))
      data = folder.subfolder("data")
      state = folder.subfolder("state")
      run = folder.subfolder("run")
      config = folder.subfolder("config")
      configurations = [config, users]
      roots = [folder]
      return
    }
    data = base("XDG_DATA_HOME", ".local/share")
    state = base("XDG_STATE_HOME", ".local/state")
    config = users
    configurations = [users]
    if let path = absoluteOnly(variable("XDG_RUNTIME_DIR")), isOwnFolder(path) {
      run = PrivateFolder(at: "\(path)/acct")
    } else {
      run = state
    }
    roots = [data, state, run]
  }
}

func absoluteOnly(_ path: String?) -> String? { path?.hasPrefix("/") == true ? path : nil }

/// Made absolute, so that messages name a place that still means the same elsewhere.
private func absolute(_ path: String) -> String {
  guard !path.hasPrefix("/"), let directory = workingDirectory() else { return path }
  return "\(directory)/\(path)"
}

/// `true` if `XDG_RUNTIME_DIR` is what it must be; under su or sudo it is often another user's, and files that root
/// left there would lock that user out.
private func isOwnFolder(_ path: String) -> Bool {
  do {
    try Descriptor.open(path, O_RDONLY | O_DIRECTORY).status().checkGenuine()
    return true
  } catch {
    return false
  }
}

/// The user's home: `HOME`, else the user database's entry, else `/` as where there is no user.
func home(_ variable: (_ name: String) -> String?) -> String {
  unsafe absoluteOnly(variable("HOME")) ?? entry { unsafe $0.pw_dir } ?? "/"
}

/// The name of a user; the number if the user database has none.
func userName(_ user: uid_t) -> String { unsafe entry(of: user) { unsafe $0.pw_name } ?? "\(user)" }

/// A part of the entry that the user database has of a user, by default this process's; `nil` without one.
func entry(of user: uid_t = geteuid(), _ part: (passwd) -> UnsafeMutablePointer<CChar>?) -> String? {
  var entry = unsafe passwd()
  var buffer = [CChar](repeating: 0, count: 16_384)
  var found: UnsafeMutablePointer<passwd>?
  let status = unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found)
  guard status == 0, unsafe found != nil, let text = unsafe part(entry) else { return nil }
  return unsafe String(cString: text)
}

/// The working directory, or `nil` if it is gone.
func workingDirectory() -> String? {
  guard let path = unsafe getcwd(nil, 0) else { return nil }
  defer { unsafe free(path) }
  return unsafe String(cString: path)
}

extension Folders {
  /// Creates the folder for sockets if it is missing, and returns its path.
  ///
  /// - Returns: The path of the run folder.
  /// - Throws: ``ListenFailure/unusableSocket(path:reason:)``.
  @Sendable package func sockets() throws(ListenFailure) -> String {
    do throws(PrivateFilesError) { try run.prepare() } catch {
      switch error {
      case .failed(let path, let reason), .unsafe(let path, let reason):
        throw .unusableSocket(path: path, reason: reason)
      case .busy: throw .unusableSocket(path: run.path, reason: "it is in use")
      }
    }
    return run.path
  }

  /// The file system that a folder is on, or will be, found in one system call where it is there and none of FUSE's.
  func fileSystem(of folder: FileFolder) throws(FilesFailure) -> FileSystem? {
    var path =
      switch folder {
      case .locks: locks.path
      case .data: data.path
      }
    var type = unsafe acct_file_system_type(path)
    while type < 0 {
      let error = FileError.last
      guard error == .notThere, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
        if error == .notThere { return nil }
        throw .failed(path: path, reason: error.reason)
      }
      path = String(path[..<slash])
      type = unsafe acct_file_system_type(path)
    }
    if type == FileSystem.fuse { return FileSystem(path: path, program: nameOfMount(at: path)) }
    guard let name = FileSystem.networks[type] else { return FileSystem(path: path, name: "local", reach: .machine) }
    return FileSystem(path: path, name: name, reach: .network)
  }
}

extension FileSystem {
  /// FUSE_SUPER_MAGIC.
  fileprivate static let fuse = 0x6573_5546

  /// Those that several machines can mount, by the numbers of linux/magic.h and of their own sources.
  fileprivate static let networks: [Int: String] = [
    0x6969: "nfs", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb", 0x517B: "smb", 0x0102_1997: "9p",
    0x00C3_6400: "ceph", 0x5346_414F: "afs", 0x6B41_4653: "afs", 0x7375_7245: "coda",
    0x7461_636F: "ocfs2", 0x0116_1970: "gfs2", 0x0BD0_0BD0: "lustre", 0x1983_0326: "beegfs",
    0x4750_4653: "gpfs", 0x564C: "ncp",
  ]

  /// Programs that keep files on this machine's own disks: an encrypted home, a container's root, NTFS.
  private static let ownPrograms: Set<String> = [
    "fuseblk", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.securefs", "fuse.fuse-overlayfs",
  ]

  fileprivate init(path: String, program name: String?) {
    self.init(path: path, name: name ?? "fuse", reach: Self.ownPrograms.contains(name ?? "") ? .machine : .program)
  }
}

/// The type of the mount that a path is on, such as `fuse.sshfs` (proc(5), mountinfo).
private func nameOfMount(at path: String) -> String? {
  var status = stat()
  guard unsafe stat(path, &status) == 0, let table = try? Descriptor.open("/proc/self/mountinfo", O_RDONLY),
    let bytes = try? readAll(from: table.number, limit: 1 << 20)
  else { return nil }
  // makedev(3), whose inverses are macros that Swift does not see.
  let number = UInt64(status.st_dev)
  let major = number >> 8 & 0xFFF | number >> 32 & ~0xFFF
  let minor = number & 0xFF | number >> 12 & ~0xFF
  let device = "\(major):\(minor)"
  for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
    let fields = line.split(separator: " ")
    guard fields.count > 2, fields[2] == device, let dash = fields.firstIndex(of: "-"),
      fields.indices.contains(dash + 1)
    else { continue }
    return String(fields[dash + 1])
  }
  return nil
}

extension ProviderFiles {
  /// The files in the user's configuration, then those for all users; of one name the first folder's.
  package static func live(_ folders: Folders) -> ProviderFiles {
    ProviderFiles(
      names: { () throws(FilesFailure) in
        var names: Set<String> = []
        for folder in folders.providers {
          let found = try folder.unlessAbsent(folder.path) { () throws(FileError) in
            try Descriptor.trustedNames(in: folder.path)
          }
          for name in found ?? [] where name.hasSuffix(".json") { names.insert(String(name.dropLast(5))) }
        }
        return Array(names)
      },
      read: { name throws(FilesFailure) in
        for folder in folders.providers {
          let path = "\(folder.path)/\(name).json"
          let bytes = try folder.unlessAbsent(path) { () throws(FileError) in
            try Descriptor.trustedBytes(path, .genuine, limit: sizeLimit)
          }
          if let bytes { return File(bytes, at: path) }
        }
        return nil
      },
      path: { folders.config.subfolder("providers").path(of: "\($0).json") }
    )
  }

  /// In bytes; the parser's own limit is lower, and says so in better words.
  private static let sizeLimit = 1 << 16
}

/// A folder of descriptions.
private struct DescriptionFolder {
  let path: String
  /// `true` for the one that the user's own descriptions are for.
  let isFirst: Bool

  /// Does `body`, which reads `path`; `nil` if there is nothing there, or nothing for this user.
  func unlessAbsent<Result>(
    _ path: String,
    _ body: () throws(FileError) -> Result
  ) throws(FilesFailure) -> Result? {
    do throws(FileError) { return try body() } catch {
      switch error {
      case .notThere: return nil
      // A service whose user's home is closed to it has `ACCT_HOME` alone.
      case .system(ENOTDIR) where !isFirst, .system(EACCES) where !isFirst: return nil
      case .system: throw .failed(path: path, reason: error.reason)
      case .distrusted, .exposed:
        // The way there is of no importance if it leads to nothing.
        guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        throw .unsafe(path: path, reason: error.reason)
      }
    }
  }
}

extension Folders {
  /// The folders of descriptions, the first before the others.
  fileprivate var providers: [DescriptionFolder] {
    let paths = configurations.map(\.path) + systemConfigurations
    return paths.enumerated().map { DescriptionFolder(path: "\($1)/providers", isFirst: $0 == 0) }
  }
}
