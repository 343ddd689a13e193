import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import KeyDevices
import Glibc
import PrivateFiles
import Synchronization
import Testing
import Vault

/// A folder for one vault, and the means to open it as so many processes would.
final class Workbench: Sendable {
  /// Holds the passphrase files; the vault is a folder in it.
  let outside: PrivateFolder
  let folder: PrivateFolder

  init() throws {
    var template = Array("/tmp/acct-vault-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template) != nil
    try #require(made)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    outside = PrivateFolder(at: path)
    folder = outside.subfolder("vault")
  }

  deinit {
    for place in [folder, outside] {
      // A test may have opened it to others, which would keep us from looking into it.
      unsafe chmod(place.path, 0o700)
      for name in (try? place.names()) ?? [] { unsafe unlink(place.path(of: name)) }
      unsafe rmdir(place.path)
    }
  }

  /// Writes a passphrase file and returns its path.
  func passphraseFile(_ text: String, name: String = "pass", mode: mode_t = 0o600) throws -> String {
    let bytes = Array(text.utf8)
    try outside.replace(name, bytes.span)
    try setMode(mode, of: name)
    return outside.path(of: name)
  }

  func setMode(_ mode: mode_t, of name: String) throws {
    let done = unsafe chmod(outside.path(of: name), mode) == 0
    try #require(done)
  }

  /// The permission bits of a path.
  func mode(of path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// The vault as another process would see it, opened by a passphrase file.
  func store(passphrase: String, kernel: KernelKey = .refusing, tpm: TPMKeys = .none) throws -> VaultStore {
    let file = try passphraseFile(passphrase, name: "pass-\(passphrase)")
    return store(PassphraseSource(file: file, terminal: .nobody), kernel: kernel, tpm: tpm)
  }

  /// The vault as another process would see it, with only a person to ask.
  func store(typist: Typist, kernel: KernelKey = .refusing, tpm: TPMKeys = .none) -> VaultStore {
    store(PassphraseSource(terminal: typist.terminal), kernel: kernel, tpm: tpm)
  }

  func store(_ passphrases: PassphraseSource, kernel: KernelKey = .refusing, tpm: TPMKeys = .none) -> VaultStore {
    VaultStore(
      folder: folder,
      passphrases: passphrases,
      kernel: kernel,
      sealedKey: SealedKey(seal: tpm.seal, unseal: tpm.unseal),
      kdf: KDFParameters(n: 16, r: 1, p: 1) ?? .standard,
      entropy: Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    )
  }

  /// A file of the vault, as it lies on the disk.
  func contents(_ name: String) throws -> [UInt8] { try #require(try folder.read(name, limit: 1 << 20)) }

  func put(_ contents: [UInt8], _ name: String) throws { try folder.replace(name, contents.span) }
}

/// A user at a terminal who types prepared lines, and then leaves.
final class Typist: Sendable {
  private let state: Mutex<(lines: [String], told: String, prompts: [String])>

  init(_ lines: String...) { state = Mutex((lines, "", [])) }

  var asked: Int { prompts.count }
  /// What was shown before each answer.
  var prompts: [String] { state.withLock { $0.prompts } }

  private func answer(_ prompt: String) -> String? {
    state.withLock { state in
      state.prompts.append(state.told + prompt)
      state.told = ""
      return state.lines.isEmpty ? nil : state.lines.removeFirst()
    }
  }

  var terminal: Terminal {
    Terminal(
      canAsk: { true },
      ask: { self.answer($0) },
      askSecret: { self.answer($0).map { Secret($0) } },
      lines: { _ in AsyncStream { $0.finish() } },
      tell: { line in self.state.withLock { $0.told += "\(line)\n" } }
    )
  }
}

extension Terminal {
  static let nobody = Terminal(
    canAsk: { false },
    ask: { _ in nil },
    askSecret: { _ in nil },
    lines: { _ in AsyncStream { $0.finish() } }
  )
}

/// A kernel that keeps everything until it is told to forget.
final class ObligingKernel: Sendable {
  private let payloads = Mutex<[String: Secret]>([:])
  private let serials = Mutex<[String: Int32]>([:])
  private let extensions = Mutex(0)

  var isEmpty: Bool { payloads.withLock { $0.isEmpty } }
  var timesExtended: Int { extensions.withLock { $0 } }

  var key: KernelKey {
    KernelKey(
      read: { name in self.payloads.withLock { $0[name] } },
      keep: { name, payload, seconds in
        #expect(seconds == 900)
        self.payloads.withLock { $0[name] = payload }
        self.serials.withLock { $0[name, default: 0] += 1 }
        return nil
      },
      extend: { name, _ in
        self.extensions.withLock { $0 += 1 }
        return self.payloads.withLock { $0[name] != nil }
      },
      forget: { name in
        self.payloads.withLock { $0[name] = nil }
        return true
      },
      forgetAll: { prefix in
        self.payloads.withLock { $0 = $0.filter { !$0.key.hasPrefix(prefix) } }
        return true
      },
      serial: { name in self.payloads.withLock { $0[name] != nil } ? self.serials.withLock { $0[name] } : nil }
    )
  }
}

/// Two accounts, made up.
enum Accounts {
  static func first() throws -> AccountID { try AccountID("11111111-1111-4111-8111-111111111111") }
  static func second() throws -> AccountID { try AccountID("22222222-2222-4222-9222-222222222222") }
}
