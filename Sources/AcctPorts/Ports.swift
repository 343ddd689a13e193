/// Everything outside the process that a command may touch; ``World`` is the form in which it is passed on.
package struct Ports: Sendable {
  package var secretService: Keyring
  package var vaultKeyring: Keyring
  package var vault: Vault
  package var sharedKeyring: SharedKeyring
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
  package var schemeHandler: SchemeHandler
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
    sharedKeyring: SharedKeyring = .none,
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
    schemeHandler: SchemeHandler = .none,
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
    self.schemeHandler = schemeHandler
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
