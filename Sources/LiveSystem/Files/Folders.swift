package import AcctPorts
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
}
