/// Everything outside the process that a command may touch, handed to it as one value.
///
/// A copy is one reference to the ``Ports``, not one to each of their hundred functions: nearly every use case has a
/// copy.
package struct World: Sendable {
  @usableFromInline var shared: Shared

  /// Immutable: a world that is changed gets a new one.
  @usableFromInline
  final class Shared: Sendable {
    @usableFromInline let ports: Ports

    init(_ ports: Ports) { self.ports = ports }
  }

  package init(_ ports: Ports) { shared = Shared(ports) }

  /// The ports themselves, for several changes at once: each change of a world copies all of them.
  package var ports: Ports { shared.ports }

  private mutating func change(_ change: (inout Ports) -> Void) {
    var ports = shared.ports
    change(&ports)
    shared = Shared(ports)
  }
}

// Inlined at the call site, so that of a port with many functions only the one that is called is copied.
extension World {
  package var secretService: Keyring {
    @inlinable get { shared.ports.secretService }
    set { change { $0.secretService = newValue } }
  }
  package var vaultKeyring: Keyring {
    @inlinable get { shared.ports.vaultKeyring }
    set { change { $0.vaultKeyring = newValue } }
  }
  package var vault: Vault {
    @inlinable get { shared.ports.vault }
    set { change { $0.vault = newValue } }
  }
  /// See ``Ports/sharedKeyring``.
  package var sharedKeyring: @Sendable (Keyring.Kind) -> Keyring {
    @inlinable get { shared.ports.sharedKeyring }
    set { change { $0.sharedKeyring = newValue } }
  }
  package var files: Files {
    @inlinable get { shared.ports.files }
    set { change { $0.files = newValue } }
  }
  package var streams: Streams {
    @inlinable get { shared.ports.streams }
    set { change { $0.streams = newValue } }
  }
  package var terminal: Terminal {
    @inlinable get { shared.ports.terminal }
    set { change { $0.terminal = newValue } }
  }
  package var environment: ProcessEnvironment {
    @inlinable get { shared.ports.environment }
    set { change { $0.environment = newValue } }
  }
  package var clock: Clock {
    @inlinable get { shared.ports.clock }
    set { change { $0.clock = newValue } }
  }
  package var entropy: Entropy {
    @inlinable get { shared.ports.entropy }
    set { change { $0.entropy = newValue } }
  }
  package var transport: HTTPTransport {
    @inlinable get { shared.ports.transport }
    set { change { $0.transport = newValue } }
  }
  package var browser: Browser {
    @inlinable get { shared.ports.browser }
    set { change { $0.browser = newValue } }
  }
  package var listener: CallbackListener {
    @inlinable get { shared.ports.listener }
    set { change { $0.listener = newValue } }
  }
  package var signals: Signals {
    @inlinable get { shared.ports.signals }
    set { change { $0.signals = newValue } }
  }
  package var dns: DNS {
    @inlinable get { shared.ports.dns }
    set { change { $0.dns = newValue } }
  }
  package var qrCode: QRCode {
    @inlinable get { shared.ports.qrCode }
    set { change { $0.qrCode = newValue } }
  }
  package var secretFiles: SecretFiles {
    @inlinable get { shared.ports.secretFiles }
    set { change { $0.secretFiles = newValue } }
  }
  package var exec: Exec {
    @inlinable get { shared.ports.exec }
    set { change { $0.exec = newValue } }
  }
  package var maintenance: FolderMaintenance {
    @inlinable get { shared.ports.maintenance }
    set { change { $0.maintenance = newValue } }
  }
  package var localServer: LocalServer {
    @inlinable get { shared.ports.localServer }
    set { change { $0.localServer = newValue } }
  }
  package var providerFiles: ProviderFiles {
    @inlinable get { shared.ports.providerFiles }
    set { change { $0.providerFiles = newValue } }
  }
  package var confinement: Confinement {
    @inlinable get { shared.ports.confinement }
    set { change { $0.confinement = newValue } }
  }
  package var programs: Programs {
    @inlinable get { shared.ports.programs }
    set { change { $0.programs = newValue } }
  }
  package var foreignFiles: ForeignFiles {
    @inlinable get { shared.ports.foreignFiles }
    set { change { $0.foreignFiles = newValue } }
  }
  package var xml: XMLReader {
    @inlinable get { shared.ports.xml }
    set { change { $0.xml = newValue } }
  }
  /// See ``Ports/held``.
  package var held: HeldSecrets {
    @inlinable get { shared.ports.held }
    set { change { $0.held = newValue } }
  }
}

/// Everything outside the process that a command may touch; ``World`` is the form in which it is passed on.
package struct Ports: Sendable {
  package var secretService: Keyring
  package var vaultKeyring: Keyring
  package var vault: Vault
  /// Returns the keyring that this machine shares with others: ``Keyring/Kind/etcd`` or ``Keyring/Kind/postgres``; its
  /// ``Keyring/accounts`` is set.
  ///
  /// Nothing is read or connected before its first use.
  package var sharedKeyring: @Sendable (Keyring.Kind) -> Keyring
  package var files: Files
  package var streams: Streams
  package var terminal: Terminal
  package var environment: ProcessEnvironment
  package var clock: Clock
  package var entropy: Entropy
  package var transport: HTTPTransport
  package var browser: Browser
  package var listener: CallbackListener
  package var signals: Signals
  package var dns: DNS
  package var qrCode: QRCode
  package var secretFiles: SecretFiles
  package var exec: Exec
  package var maintenance: FolderMaintenance
  package var localServer: LocalServer
  package var providerFiles: ProviderFiles
  package var confinement: Confinement
  package var programs: Programs
  package var foreignFiles: ForeignFiles
  package var xml: XMLReader
  /// The secrets that have entered or left the process, to be redacted in text from outside.
  package var held = HeldSecrets()

  package init(
    secretService: Keyring,
    vaultKeyring: Keyring,
    vault: Vault,
    sharedKeyring: @escaping @Sendable (Keyring.Kind) -> Keyring = Keyring.notJoined,
    files: Files,
    streams: Streams,
    terminal: Terminal,
    environment: ProcessEnvironment,
    clock: Clock,
    entropy: Entropy,
    transport: HTTPTransport,
    browser: Browser,
    listener: CallbackListener,
    signals: Signals,
    dns: DNS,
    qrCode: QRCode = .none,
    secretFiles: SecretFiles,
    exec: Exec,
    maintenance: FolderMaintenance,
    localServer: LocalServer,
    providerFiles: ProviderFiles = .none,
    confinement: Confinement = .none,
    programs: Programs = .none,
    foreignFiles: ForeignFiles = .none,
    xml: XMLReader = .none
  ) {
    self.secretService = secretService
    self.vaultKeyring = vaultKeyring
    self.vault = vault
    self.sharedKeyring = sharedKeyring
    self.files = files
    self.streams = streams
    self.terminal = terminal
    self.environment = environment
    self.clock = clock
    self.entropy = entropy
    self.transport = transport
    self.browser = browser
    self.listener = listener
    self.signals = signals
    self.dns = dns
    self.qrCode = qrCode
    self.secretFiles = secretFiles
    self.exec = exec
    self.maintenance = maintenance
    self.localServer = localServer
    self.providerFiles = providerFiles
    self.confinement = confinement
    self.programs = programs
    self.foreignFiles = foreignFiles
    self.xml = xml
  }
}
