import AcctPorts
import Glibc
import PrivateFiles

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
    if case .socket(let path?) = fence.place { allow(.socket, [parent(of: path)]) }

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
    guard let stream = unsafe opendir("/dev") else { return [] }
    defer { unsafe closedir(stream) }
    var paths: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name.hasPrefix("tpm") { paths.append("/dev/\(name)") }
    }
    return paths
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
      let folder = parent(of: file)
      return ["/", home].contains(folder) ? file : folder
    }
    var places = [place(of: path)]
    if let target = unsafe realpath(path, nil) {
      places.append(place(of: unsafe String(cString: target)))
      unsafe free(target)
    }
    return places
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
      if path.contains(".so") { folders.insert(parent(of: path)) }
    }
    return folders
  }
}

/// The folder that a file lies in, or would.
private func parent(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}
