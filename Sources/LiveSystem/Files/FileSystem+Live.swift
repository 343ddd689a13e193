import AcctPorts
import CLinux
import Glibc
import PrivateFiles

extension Folders {
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
