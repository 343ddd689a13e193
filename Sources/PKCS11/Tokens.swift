import AcctModel
package import AcctPorts
import Glibc
import KeyDevices
package import PrivateFiles
import Synchronization

/// The tokens of this machine, by the modules that are named or configured.
package final class Tokens: Sendable {
  private let modules = Mutex<[String: Module]>([:])
  private let configuration: ModuleConfiguration
  private let time: OutageBudget
  let locks: TokenLocks
  let entropy: Entropy

  /// The time limits for a person.
  package struct OutageBudget: Sendable {
    /// After so long a signature seems to wait for a touch.
    package var touch: Duration
    /// After so long a module's call is given up.
    package var limit: Duration

    package init(touch: Duration = .seconds(1), limit: Duration = .seconds(120)) {
      self.touch = touch
      self.limit = limit
    }
  }

  /// - Parameters:
  ///   - folder: The folder of the locks; it is made when the first is taken.
  ///   - configuration: The modules of a URI that names none.
  ///   - entropy: The source of the ids of new keys.
  ///   - patience: The time limits for a person.
  package init(
    locks folder: PrivateFolder,
    configuration: ModuleConfiguration,
    entropy: Entropy,
    patience: OutageBudget = OutageBudget()
  ) {
    locks = TokenLocks(folder: folder)
    self.configuration = configuration
    self.entropy = entropy
    time = patience
  }

  /// Lets the modules release their resources; they are used no more.
  ///
  /// One in which a call has not returned keeps them.
  package func end() {
    // One that is being loaded is not in the table yet.
    guard let loaded = modules.withLockIfAvailable({ Array($0.values) }) else { return }
    for module in loaded { module.end() }
  }

  /// The modules that a URI may mean.
  func modulePaths(_ uri: PKCS11URI) -> [String] {
    if let path = uri.modulePath { return [path] }
    let all = configuration.modules()
    guard let wanted = uri.moduleName else { return all }
    return all.filter { moduleName($0) == wanted }
  }

  /// Finds the tokens of a module that a URI may mean.
  func tokens(
    _ path: String,
    _ uri: PKCS11URI,
    _ patience: DeviceTimeout
  ) async throws(HardwareKeyFailure) -> [(Module, Token)] {
    let lock = try await locks.module(path, patience)
    let late = HardwareKeyFailure.failed(reason: "the module \(printable(path)) does not answer")
    return try await onDeviceThread(limit: time.limit, late: late) {
      [self] () throws(HardwareKeyFailure) in
      defer { lock.release() }
      let module = try load(path)
      return try module.use { () throws(HardwareKeyFailure) in
        try module.tokens().filter { $0.matches(uri) }.map { (module, $0) }
      }
    }
  }

  /// Finds the one token that a URI means.
  func token(_ uri: PKCS11URI, _ patience: DeviceTimeout) async throws(HardwareKeyFailure) -> (Module, Token) {
    let paths = modulePaths(uri)
    var found: [(Module, Token)] = []
    var failure: HardwareKeyFailure?
    for path in paths {
      // One of several modules may be unusable, and the token another's.
      do { found += try await tokens(path, uri, patience) } catch { failure = failure ?? error }
    }
    guard let only = found.first else {
      if let failure { throw failure }
      let reason =
        paths.isEmpty
        ? "no PKCS#11 module is configured that the URI could mean; module-path=FILE names one"
        : "no token matches the URI"
      throw .absent(reason: reason)
    }
    guard found.count == 1 else {
      let attribute = Set(found.map(\.0.path)).count > 1 ? "module-path=FILE" : "serial=NUMBER"
      throw .unsuitable(reason: "\(found.count) tokens match the URI; \(attribute) selects one")
    }
    return only
  }

  /// Does something in a session with a token, while no other process uses the token.
  ///
  /// The module's lock is held, too, until `body` releases it: a login may write the file that describes
  /// the token (SoftHSM does), and a process that looks for tokens meanwhile would not find it.
  ///
  /// - Parameters:
  ///   - module: The token's module.
  ///   - token: The token.
  ///   - patience: The time limits for the locks.
  ///   - touch: The watch that announces that the token seems to wait for a touch, if it may.
  ///   - body: Uses the session; it releases the module's lock before anything that waits for a person.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or why there is no session.
  func session<Result: Sendable>(
    _ module: Module,
    _ token: Token,
    _ patience: DeviceTimeout,
    _ touch: TouchWatch? = nil,
    _ body: @escaping @Sendable (Session, FolderLock) throws(HardwareKeyFailure) -> Result
  ) async throws(HardwareKeyFailure) -> Result {
    let lock = try await locks.token(token, patience)
    // Always after the token's: a holder of only the module's waits for no other lock.
    let brief = try await locks.module(module.path, patience)
    let path = printable(module.path)
    // Known only when the time is over.
    let late: @Sendable () -> HardwareKeyFailure = {
      touch?.wasAnnounced == true
        ? .notTouched : .failed(reason: "the module \(path) does not answer")
    }
    return try await onDeviceThread(limit: time.limit, late: late()) {
      () throws(HardwareKeyFailure) in
      defer {
        brief.release()
        lock.release()
      }
      return try module.use { () throws(HardwareKeyFailure) in
        // The PIN is not for another token that may be in the reader by now.
        guard try Token.read(token.slot, module)?.isSame(as: token) == true else {
          throw .absent(reason: "the token was removed")
        }
        return try Session.with(token, of: module) { session throws(HardwareKeyFailure) in try body(session, brief) }
      }
    }
  }

  /// The watch that tells the person that a signature takes long.
  func touchWatch(_ holder: KeyHolder) -> TouchWatch { TouchWatch(after: time.touch, holder.touch) }

  private func load(_ path: String) throws(HardwareKeyFailure) -> Module {
    try modules.withLock { modules throws(HardwareKeyFailure) in
      if let module = modules[path] { return module }
      let module = try Module(loading: path)
      modules[path] = module
      return module
    }
  }
}

/// A module's file name without `lib` and without the part that begins with `.so` (RFC 7512, section 2.3).
private func moduleName(_ path: String) -> String {
  var name = path.split(separator: "/").last.map(String.init) ?? ""
  if let end = name.firstRange(of: ".so") { name = String(name[..<end.lowerBound]) }
  return name.hasPrefix("lib") ? String(name.dropFirst(3)) : name
}

/// The modules that p11-kit is configured to load (pkcs11.conf(5)).
///
/// p11-kit itself is not asked: it would load every one of them to find one token, and say on standard error
/// which of them it could not.
package struct ModuleConfiguration: Sendable {
  /// The folders with a file for each module; the settings of an earlier one win.
  let folders: [String]
  /// The folders of modules that are named without a folder.
  let libraries: [String]

  package init(folders: [String], libraries: [String]) {
    self.folders = folders
    self.libraries = libraries
  }

  /// The configuration of this machine; `variable` returns an environment variable.
  package static func live(_ variable: (_ name: String) -> String?) -> ModuleConfiguration {
    #if arch(arm64)
    let architecture = "aarch64"
    #else
    let architecture = "x86_64"
    #endif
    func absolute(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let home = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { "\($0)/.config" }
    return ModuleConfiguration(
      folders: [
        home.map { "\($0)/pkcs11/modules" }, "/etc/pkcs11/modules", "/usr/share/p11-kit/modules",
      ].compactMap(\.self),
      libraries: ["/usr/lib/\(architecture)-linux-gnu/pkcs11", "/usr/lib64/pkcs11", "/usr/lib/pkcs11"]
    )
  }

  /// The paths of the modules that may have keys, those of the highest priority first.
  func modules() -> [String] {
    var files: [String: [String: String]] = [:]
    for folder in folders {
      for name in names(in: folder) ?? [] where name.hasSuffix(".module") && !name.hasPrefix(".") {
        files[name, default: [:]].merge(settings(of: "\(folder)/\(name)")) { first, _ in first }
      }
    }
    let ordered = files.sorted { left, right in
      let (first, second) = (priority(left.value), priority(right.value))
      return first == second ? left.key < right.key : first > second
    }
    var seen: Set<String> = []
    return ordered.compactMap { path(of: $0.value) }.filter { seen.insert($0).inserted }
  }

  private func priority(_ settings: [String: String]) -> Int { settings["priority"].flatMap { Int($0) } ?? 0 }

  /// The path of a module; `nil` if there is none, or it is not for keys, or not for this program.
  private func path(of settings: [String: String]) -> String? {
    guard let module = settings["module"], !module.isEmpty, settings["trust-policy"] != "yes",
      !contains(settings["disable-in"]), settings["enable-in"] == nil || contains(settings["enable-in"])
    else { return nil }
    if module.hasPrefix("/") { return module }
    let places = libraries.map { "\($0)/\(module)" }
    return places.first { unsafe access($0, F_OK) == 0 } ?? places.first
  }

  private func contains(_ programs: String?) -> Bool {
    programs?.split { $0 == "," || $0.isWhitespace }.contains("acct") ?? false
  }

  /// The settings of a file, as lines of `NAME: VALUE`; none of one that can't be read, as p11-kit has it, too.
  private func settings(of file: String) -> [String: String] {
    guard let bytes = try? Descriptor.trustedBytes(file, .genuine, limit: 65_536) else { return [:] }
    var settings: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let line = trimmed(line)
      guard !line.hasPrefix("#"), let colon = line.firstIndex(of: ":") else { continue }
      settings[trimmed(line[..<colon])] = trimmed(line[line.index(after: colon)...])
    }
    return settings
  }
}

private func trimmed(_ text: Substring) -> String {
  String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
}

private func trimmed(_ text: String) -> String { trimmed(text[...]) }

/// Locks across this user's processes: modules of one token in two processes disturb each other.
struct TokenLocks: Sendable {
  let folder: PrivateFolder
  /// Takes the lock of a module, for a moment.
  func module(_ path: String, _ patience: DeviceTimeout) async throws(HardwareKeyFailure) -> FolderLock {
    try await lock("module-\(fingerprint(path))", patience)
  }

  /// Takes the lock of a token, for as long as a person needs to touch it.
  func token(_ token: Token, _ patience: DeviceTimeout) async throws(HardwareKeyFailure) -> FolderLock {
    let parts = [token.manufacturer, token.model, token.serial, token.label]
    return try await lock("token-\(fingerprint(parts.joined(separator: "\n")))", patience)
  }

  private func lock(_ name: String, _ patience: DeviceTimeout) async throws(HardwareKeyFailure) -> FolderLock {
    do throws(PrivateFilesError) {
      return try await folder.lock(name, seconds: Self.seconds(patience))
    } catch {
      switch error {
      case .busy where Task.isCancelled: throw .cancelled
      case .busy: throw .busy
      case .failed(let path, let reason), .unsafe(let path, let reason):
        throw .failed(reason: "the lock \(path): \(reason)")
      }
    }
  }

  private static func seconds(_ patience: DeviceTimeout) -> Int {
    switch patience {
    // Longer than a touch is waited for.
    case .full: 150
    case .brief: 3
    }
  }
}

/// FNV-1a with 64 bits, as a file's name: two tokens that got the same would only wait for each other.
private func fingerprint(_ text: String) -> String {
  let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
    (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }
  return String(hash, radix: 16)
}
