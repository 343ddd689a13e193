import AcctModel
import AcctPorts
import CPKCS11
import PrivateFiles
import Synchronization

/// A module that has been loaded, for good, and is initialized while it is in use.
@safe final class Module: @unchecked Sendable {
  let path: String
  /// A copy of the module's table of functions, which never changes.
  let functions: CK_FUNCTION_LIST
  private let use = Mutex(Use())

  private struct Use {
    /// `true` if this process has called C_Initialize and not C_Finalize.
    var isInitialized = false
    /// The number of operations that go on; one whose call never returned counts for ever.
    var operations = 0
  }

  /// Loads a module.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)`` for a file that is no module, one of another version, or one
  ///   that another user can have written.
  init(loading path: String) throws(HardwareKeyFailure) {
    Self.silenced
    // The linker looks for a name without a folder in its own.
    if path.contains("/") {
      do throws(FileError) { _ = try Descriptor.trusted(path, .program) } catch .system {
        // It has the words for this.
      } catch {
        throw .unsuitable(reason: "\(printable(path)): \(printable(error.reason))")
      }
    }
    var library: UnsafeMutableRawPointer?
    if let problem = unsafe acct_pkcs11_load(path, &library) {
      throw .unsuitable(reason: printable(unsafe String(cString: problem)))
    }
    var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
    let result = unsafe acct_pkcs11_functions(library, &list)
    guard result == CKR_OK, let list = unsafe list else {
      throw .unsuitable(reason: "\(printable(path)) is not a PKCS#11 module")
    }
    // Versions 2.1 to 2.40 have these functions in this order, and 3.0 offers them by this call.
    let version = unsafe list.pointee.version
    guard (version.major == 2 && version.minor >= 1) || version.major == 3 else {
      let number = "\(version.major).\(version.minor)"
      throw .unsuitable(reason: "\(printable(path)) speaks version \(number) of PKCS#11, not 2 or 3")
    }
    self.path = path
    unsafe functions = list.pointee
  }

  /// Calls the module between C_Initialize and C_Finalize.
  ///
  /// It stays initialized for the next operation, unless this one failed: then the next one starts afresh, since
  /// some modules do not see a reader again that was away.
  func use<Result>(_ body: () throws(HardwareKeyFailure) -> Result) throws(HardwareKeyFailure) -> Result {
    try use.withLock { use throws(HardwareKeyFailure) in
      if !use.isInitialized { use.isInitialized = try initialize() }
      use.operations += 1
    }
    do throws(HardwareKeyFailure) {
      let result = try body()
      use.withLock { $0.operations -= 1 }
      return result
    } catch {
      use.withLock { use in
        use.operations -= 1
        finalize(&use)
      }
      throw error
    }
  }

  /// Lets the module release its resources, unless a call has not returned; returns whether all have.
  func end() -> Bool {
    let isIdle = use.withLockIfAvailable { use in
      finalize(&use)
      return use.operations == 0
    }
    return isIdle ?? false
  }

  /// - Returns: `true` if C_Finalize is this process's part, too.
  private func initialize() throws(HardwareKeyFailure) -> Bool {
    var arguments = unsafe CK_C_INITIALIZE_ARGS()
    unsafe arguments.flags = CKF_OS_LOCKING_OK
    let result = try answer("C_Initialize", unsafe functions.C_Initialize?(&arguments))
    // Another part of the process uses the module, too.
    if result == CKR_CRYPTOKI_ALREADY_INITIALIZED { return false }
    try check("C_Initialize", result)
    return true
  }

  private func finalize(_ use: inout Use) {
    guard use.isInitialized, use.operations == 0 else { return }
    _ = functions.C_Finalize?(nil)
    use.isInitialized = false
  }

  private static let silenced: Void = acct_pkcs11_silence()
}
