import AcctModel
package import AcctPorts
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
  /// - Returns: `true` if every call into them has returned. If not, exit(3) may wait for one without end: it calls
  ///   the functions that the libraries registered for the end of the process, which may want the locks that the call
  ///   holds.
  package func end() -> Bool {
    // One that is being loaded is not in the table yet.
    guard let loaded = modules.withLockIfAvailable({ Array($0.values) }) else { return false }
    // Each of them, also behind one that is stuck.
    return loaded.map { $0.end() }.allSatisfy(\.self)
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
