import AcctEngine
import AcctModel
import AcctPorts
import KeyDevices
import Secrets

/// The source of a device's PIN: the file that a URI names, `ACCT_KEY_PIN_FILE`, the credential `acct.pin` from
/// systemd, or the person at the terminal.
struct PINSource: Sendable {
  private let world: World
  private let interaction: Interaction

  init(_ context: EngineContext) {
    world = context.world
    interaction = context.interaction
  }

  /// The most bytes of a file with a PIN.
  private static let limit = 1024

  /// Gets a PIN; a new one is asked for twice, since the input is not shown.
  ///
  /// - Throws: ``HardwareKeyFailure/noPIN(reason:)``, ``HardwareKeyFailure/cancelled``.
  func pin(_ request: PINRequest) throws(HardwareKeyFailure) -> Secret {
    if let file = file(for: request) { return try read(file) }
    if let credential {
      var contents: Secret?
      do throws(SecretFileFailure) {
        contents = try world.secretFiles.read(credential, Self.limit, .credential)
      } catch .missing {
        // systemd may provide other credentials than this one.
      } catch {
        throw .noPIN(error)
      }
      if let contents { return try pin(in: contents, credential) }
    }
    guard request.isNew else { return try ask("PIN of \(request.device): ") }
    let first = try ask("New PIN for the key in \(request.device): ")
    guard try ask("The same PIN again: ") == first else { throw .noPIN(reason: "the two PINs differ") }
    return first
  }

  /// Returns `true` if the terminal would be the source of the PIN.
  func isPrompt(for request: PINRequest) -> Bool {
    file(for: request) == nil && credential.map { !world.secretFiles.exists($0) } ?? true
  }

  /// `true` if a PIN is available, or can be asked for now.
  var isThere: Bool {
    let request = PINRequest(device: "")
    return !isPrompt(for: request) || interaction == .allowed && world.terminal.canAsk()
  }

  private func file(for request: PINRequest) -> String? {
    request.file ?? world.environment.variable("ACCT_KEY_PIN_FILE")
  }

  private var credential: String? {
    guard let folder = world.environment.variable("CREDENTIALS_DIRECTORY"), folder.hasPrefix("/") else { return nil }
    return "\(folder)/acct.pin"
  }

  private func read(_ path: String) throws(HardwareKeyFailure) -> Secret {
    let contents: Secret
    do { contents = try world.secretFiles.read(path, Self.limit, .setting) } catch { throw .noPIN(error) }
    return try pin(in: contents, path)
  }

  /// The contents of a file without a newline at their end.
  private func pin(in contents: Secret, _ path: String) throws(HardwareKeyFailure) -> Secret {
    let pin = contents.withBytes { bytes in
      let endsInNewline = bytes.count > 0 && bytes[bytes.count - 1] == UInt8(ascii: "\n")
      return Secret(bytes.extracting(droppingLast: endsInNewline ? 1 : 0))
    }
    guard pin.count > 0 else { throw .noPIN(reason: "\(path): it is empty") }
    return pin
  }

  private func ask(_ prompt: String) throws(HardwareKeyFailure) -> Secret {
    guard interaction == .allowed, world.terminal.canAsk() else { throw .noPrompt }
    guard let answer = world.terminal.askSecret(prompt) else { throw .cancelled }
    guard answer.count > 0 else { throw .noPIN(reason: "no PIN was given") }
    return answer
  }
}

extension HardwareKeyFailure {
  /// The file with the PIN can't be read.
  fileprivate static func noPIN(_ failure: SecretFileFailure) -> HardwareKeyFailure {
    let reason =
      switch failure {
      case .failed(let path, let reason): "\(path): \(reason)"
      case .missing(let path): "\(path): no such file or directory"
      case .exposed(let path, let reason, let chmod): "\(path): \(reason)\(chmod.map { ": run `\($0)`" } ?? "")"
      case .exists(let path): "\(path) already exists"
      }
    return .noPIN(reason: reason)
  }
}
