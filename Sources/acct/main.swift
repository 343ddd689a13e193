import AcctCLI
import AcctConsole
import AcctFleet
import AcctPorts
import CArguments
import Curl
import EtcdStore
import Expat
import FleetPorts
import Glibc
import KeyDevices
import LiveHTTP
import LiveSystem
import PKCS11
import PostgresStore
import SecretServiceKeyring
import SharedKeyring
import TPM
import Vault

// Swift's own reads /proc, which may not be there, and changes what is not UTF-8.
let commandLine = sequence(state: Int32(0)) { index -> String?? in
  defer { index += 1 }
  return unsafe acct_argument(index).map { unsafe String(validatingCString: $0) }
}

let hardening = Hardening.closeProcess()

let environment = ProcessEnvironment.live()
let folders = Folders(environment.variable)
let memory = MemoryFolders(environment.variable)
// A person who is asked to unlock the vault gets two minutes.
let terminal = Terminal.live(timeout: 120)
let tpm = TPMKeys.live()
let vaultStore = VaultStore(
  folder: folders.vault,
  passphrases: PassphraseSource(environment, terminal: terminal),
  kernel: .live,
  sealedKey: SealedKey(seal: tpm.seal, unseal: tpm.unseal),
  entropy: .live()
)
let streams = Streams.live()
let clock = Clock.live()
let waits = LongWaits(streams, clock, environment.variable)
let signals = Signals.live()
let isDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment.variable($0) != nil }
let desktop = Keyring.secretService(canPrompt: isDesktop) { waits?.beginKeyringPrompt() ?? {} }
let sharedVault = SharedVault(
  folder: folders.shared,
  sightings: folders.sightings,
  opener: SharedKeyOpener(
    VaultKeyOpener(
      passphrases: PassphraseSource(environment, of: "the shared keyring", terminal: terminal),
      kernel: .live,
      entropy: .live()
    ),
    keyFile: KeyFile(environment),
    entropy: .live()
  ),
  environment: environment,
  entropy: .live(),
  check: SharedRecord.check,
  local: { kind in [vaultStore.keyring, desktop].first { $0.kind == kind } },
  agreements: .live(),
  version: version,
  watch: signals.watch,
  connect: { settings in
    switch settings.engine {
    case .etcd(let etcd): .etcd(etcd)
    case .postgres(let postgres): .postgres(postgres)
    }
  }
)
let tokens = Tokens(locks: folders.tokenLocks, configuration: .live(environment.variable), entropy: .live())
let world = World(
  Ports(
    secretService: desktop,
    vaultKeyring: vaultStore.keyring,
    vault: vaultStore.vault,
    sharedKeyring: { sharedVault.keyring($0) },
    files: .live(folders),
    streams: streams,
    terminal: terminal,
    environment: environment,
    clock: clock,
    entropy: .live(),
    transport: .live(userAgent: "acct/\(version)", environment: environment.variable),
    browser: .live(undoing: hardening, environment.variable),
    listener: .live(),
    signals: signals,
    dns: .live(variable: environment.variable),
    qrCode: .live(environment.variable),
    secretFiles: .live(),
    exec: .live(undoing: hardening, memory),
    maintenance: .live(folders, memory),
    localServer: .live(folder: folders.sockets),
    providerFiles: .live(folders),
    confinement: .live(folders, environment.variable) { CurlTable.preload() },
    programs: .live(undoing: hardening),
    foreignFiles: .live(memory, environment.variable),
    xml: .expat()
  )
)
let status = await Acct.run(
  commandLine: Array(commandLine),
  in: world,
  devices: HardwareKeys(tpm: tpm, pkcs11: tokens.keys),
  sharing: sharedVault.sharedKeyring,
  schemes: .live(folders, environment.variable)
)
vaultStore.end()
sharedVault.end()
tokens.end()
PromptMode.restore()
// Not exit(3), which calls what libraries registered for the end, while threads may still be in them: OpenSSL released
// what a thread that ended was releasing. Everything was written to the descriptors: no buffer has to be flushed.
_exit(status)
