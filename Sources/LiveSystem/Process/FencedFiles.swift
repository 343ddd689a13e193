package import AcctPorts
import CLinux
import Glibc
import PrivateFiles
import Secrets

/// The files that a proxy has use for.
///
/// It is generous with the files that the system's libraries read, since one that is closed off would fail hours
/// later: a fence is for the user's own files, not for those that every program can read.
struct FencedFiles {
  /// Paths that may be missing, and the rights to the files beneath them.
  let rights: [(path: String, rights: FileRights)]
  /// `true` if the session bus has no path.
  let reachesAbstractSockets: Bool

  /// Names the files, and makes acct's folders if they are missing: nothing above them could be written later.
  ///
  /// - Returns: `nil` if acct's folders can't be made, and if a token's file lies among all of the user's: the next one of
  ///   its name could not be opened without opening those as well.
  init?(_ folders: Folders, _ variable: (_ name: String) -> String?, _ fence: Confinement.Fence) {
    var rights: [(path: String, rights: FileRights)] = []
    func allow(_ right: FileRights, _ paths: some Sequence<String>) {
      for path in paths { rights.append((path, right)) }
    }
    for folder in [folders.data, folders.state, folders.run] {
      do throws(PrivateFilesError) { try folder.prepare() } catch { return nil }
      // `$ACCT_HOME` has all of them, and each is opened by way of it.
      allow(.own, [folder.outermost])
    }
    // What the user keeps elsewhere, behind a link.
    allow(.own, folders.kept.compactMap { resolved($0.path) })
    // The user may describe a server, and so make this folder, while the proxy runs. Where it can't be made now, such
    // as in a home that is read-only, the user has made it or has no use for it.
    do throws(PrivateFilesError) { try folders.config.prepare() } catch {}
    allow(.read, folders.configurations.map(\.outermost))
    allow(.read, folders.configurations.compactMap { resolved($0.path(of: "providers")) })
    if case .socket(let path?) = fence.place { allow(.socket, [String(path.parent)]) }

    allow(.read, Self.system)
    allow(.write, Self.devices + Self.tpms())
    let home = home(variable)
    if let tpm = absoluteOnly(variable("ACCT_TPM")) { allow(.write, [tpm]) }
    // The targets of these links may lie anywhere, such as those of /etc/resolv.conf.
    for link in Self.links { allow(.read, Self.places(of: link, home)) }
    allow(.read, Self.loadedLibraries())
    for name in Self.folderVariables { allow(.read, (variable(name) ?? "").split(separator: ":").map(String.init)) }
    for name in Self.fileVariables {
      if let path = variable(name) { allow(.read, Self.places(of: path, home)) }
    }
    for path in fence.tokenFiles {
      let places = Self.places(of: path, home)
      guard !places.contains(path) else { return nil }
      allow(.read, places)
    }
    self.rights = rights
    let bus = variable("DBUS_SESSION_BUS_ADDRESS") ?? ""
    reachesAbstractSockets = bus.contains("abstract=")
  }

  /// The folders of installed programs and libraries, of their configuration, and of the resolver's files.
  private static let system = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix/store", "/gnu/store",
    "/run/current-system", "/run/systemd", "/run/resolvconf", "/run/NetworkManager", "/run/connman",
    "/run/netconfig", "/run/nscd", "/var/cache/nscd", "/var/lib/sss", "/var/lib/ca-certificates",
    "/proc", "/sys/devices/system", "/sys/fs/cgroup",
  ]

  private static let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"]

  /// The TPMs that are there, with the kernel's resource manager and without it.
  private static func tpms() -> [String] {
    (names(in: "/dev") ?? []).filter { $0.hasPrefix("tpm") }.map { "/dev/\($0)" }
  }

  private static let links = [
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf",
    "/etc/localtime", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem",
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
  ]

  /// The variables that name folders, some of them several.
  private static let folderVariables = [
    "CREDENTIALS_DIRECTORY", "LD_LIBRARY_PATH", "OPENSSL_CONF_INCLUDE", "OPENSSL_ENGINES",
    "OPENSSL_MODULES", "SSL_CERT_DIR",
  ]

  /// The variables that name a file.
  private static let fileVariables = [
    "ACCT_VAULT_PASSPHRASE_FILE", "ACCT_KEY_PIN_FILE", "CURL_CA_BUNDLE", "OPENSSL_CONF", "SSL_CERT_FILE", "HOSTALIASES",
  ]

  /// The folders that a file lies in, as it is named and as it is: it may be replaced by one of the same name, or
  /// a link on the way to it may.
  ///
  /// Of the home folder and of `/` nothing else is opened, so there it is the file itself.
  private static func places(of path: String, _ home: String) -> [String] {
    func place(of file: String) -> String {
      let folder = String(file.parent)
      return ["/", home].contains(folder) ? file : folder
    }
    return [path, resolved(path)].compactMap { $0.map(place) }
  }

  /// The folders of the libraries that are loaded, which others may be loaded from.
  private static func loadedLibraries() -> Set<String> {
    let maps: [UInt8]?
    do throws(FileError) {
      let file = try Descriptor.open("/proc/self/maps", O_RDONLY)
      maps = try readAll(from: file.number, limit: 1 << 20)
    } catch {
      maps = nil
    }
    var folders: Set<String> = []
    for line in (maps ?? []).split(separator: UInt8(ascii: "\n")) {
      guard let slash = line.firstIndex(of: UInt8(ascii: "/")) else { continue }
      let path = String(decoding: line[slash...], as: UTF8.self)
      if path.contains(".so") { folders.insert(String(path.parent)) }
    }
    return folders
  }
}

extension Confinement {
  /// The measures of this kernel: memfd_secret(2) and landlock(7).
  ///
  /// - Parameters:
  ///   - folders: acct's own.
  ///   - variable: Returns an environment variable.
  ///   - loading: Loads the libraries that every request needs, before their folder may be closed.
  /// - Returns: The port; nothing is in force yet.
  package static func live(
    _ folders: Folders,
    _ variable: @escaping @Sendable (_ name: String) -> String?,
    loading: @escaping @Sendable () -> Void
  ) -> Confinement {
    Confinement(
      begin: { fence in
        let hasSecretMemory = useSecretMemory()
        guard !fence.needsUnknownFiles else { return Measures(secretMemory: hasSecretMemory, fence: nil) }
        loading()
        let files = FencedFiles(folders, variable, fence)
        let version = files.flatMap { Landlock()?.close(all: $0, butFor: fence.place) }
        return Measures(secretMemory: hasSecretMemory, fence: version)
      },
      available: { Measures(secretMemory: isSecretMemoryThere(), fence: Landlock()?.version) }
    )
  }
}

/// In bytes; only the used part takes memory.
///
/// The first is within the usual limit (RLIMIT_MEMLOCK, 8 MiB), the last within that of older systems (64 KiB).
private let sizes = [4 << 20, 1 << 20, 256 << 10, 32 << 10]

/// Lets secrets lie in memory that no other process can read; returns whether there is any.
private func useSecretMemory() -> Bool {
  for size in sizes {
    guard let memory = unsafe acct_secret_memory(size) else { continue }
    unsafe SecretMemory.use(UnsafeMutableRawBufferPointer(start: memory, count: size))
    return true
  }
  return false
}

private func isSecretMemoryThere() -> Bool {
  let size = sizes[sizes.count - 1]
  guard let memory = unsafe acct_secret_memory(size) else { return false }
  unsafe munmap(memory, size)
  return true
}

/// The kernel's way to close files to a process that has the right to open them, landlock(7).
struct Landlock {
  /// The version of its interface.
  let version: Int

  /// - Returns: `nil` where the kernel has none, or only the first: that one lets no file be renamed from one
  ///   folder to another.
  init?() {
    version = acct_landlock_version()
    guard version >= 2 else { return nil }
  }

  /// Closes all files but these, all TCP ports but the one to listen at, and signals to other processes.
  ///
  /// - Returns: Its version; `nil` if the process is as it was.
  func close(all files: FencedFiles, butFor place: LocalPlace) -> Int? {
    // A fence is one thread's, and of those that it makes: half a fence would be found out after days.
    guard hasOneThread() else { return nil }
    var handled = acct_landlock(files: FileRights.all(version), ports: 0, scopes: 0)
    if version >= 4 { handled.ports = Self.bindTCP }
    if version >= 6 { handled.scopes = Self.signals | (files.reachesAbstractSockets ? 0 : Self.abstractSockets) }
    let number = unsafe acct_landlock_create(&handled)
    guard number >= 0 else { return nil }
    defer { Glibc.close(number) }
    for (path, rights) in files.rights {
      guard allow(rights.number(version), path, number) else { return nil }
    }
    if version >= 4, case .port(let port) = place {
      // 0 stands for a port that the kernel chooses.
      guard acct_landlock_allow_port(number, UInt64(port ?? 0), Self.bindTCP) == 0 else { return nil }
    }
    return acct_landlock_begin(number) == 0 ? version : nil
  }

  /// Adds a rule for a path; one that does not exist needs none.
  private func allow(_ rights: UInt64, _ path: String, _ rules: Int32) -> Bool {
    do throws(FileError) {
      let file = try Descriptor.open(path, ACCT_O_PATH)
      let isFolder = try file.status().kind == .folder
      let applicable = isFolder ? rights : rights & FileRights.ofFiles
      return acct_landlock_allow_path(rules, file.number, applicable) == 0
    } catch {
      return true
    }
  }

  private static let bindTCP: UInt64 = 1 << 0
  private static let abstractSockets: UInt64 = 1 << 0
  private static let signals: UInt64 = 1 << 1
}

/// The kinds of access to files, by the bits of `LANDLOCK_ACCESS_FS_…`.
enum FileRights {
  /// Reading files and folders, and loading libraries.
  case read
  /// Reading and writing existing files, such as a device.
  case write
  /// Everything that acct does in its own folders.
  case own
  /// Making a socket, and removing it.
  case socket

  /// The rights that a version knows, which are all that a fence takes away.
  static func all(_ version: Int) -> UInt64 {
    // REFER is from version 2 on, TRUNCATE from 3, IOCTL_DEV from 5.
    (1 << 14) - 1 | (version >= 3 ? truncate : 0) | (version >= 5 ? control : 0)
  }

  /// The rights that a file can have which is no folder.
  static let ofFiles: UInt64 = execute | writeFile | readFile | truncate | control

  func number(_ version: Int) -> UInt64 {
    let rights: UInt64 =
      switch self {
      case .read: Self.execute | Self.readFile | Self.readFolder
      case .write: Self.readFile | Self.writeFile | Self.control
      case .own: Self.all(version) & ~(Self.execute | Self.makeDevices)
      case .socket: Self.makeSocket | Self.removeFile
      }
    return rights & Self.all(version)
  }

  private static let execute: UInt64 = 1 << 0
  private static let writeFile: UInt64 = 1 << 1
  private static let readFile: UInt64 = 1 << 2
  private static let readFolder: UInt64 = 1 << 3
  private static let removeFile: UInt64 = 1 << 5
  /// Character and block devices.
  private static let makeDevices: UInt64 = 1 << 6 | 1 << 11
  private static let makeSocket: UInt64 = 1 << 9
  private static let truncate: UInt64 = 1 << 14
  private static let control: UInt64 = 1 << 15
}

/// `true` if no other thread runs; `false` also if their number can't be read.
///
/// A thread that has been joined may still be listed for a moment.
private func hasOneThread() -> Bool {
  for _ in 0..<50 {
    if names(in: "/proc/self/task")?.count == 1 { return true }
    usleep(1_000)
  }
  return false
}
