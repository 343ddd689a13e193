import AcctCLI
import AcctPorts
import Glibc
import LiveHTTP
import LiveSystem
import SecretServiceKeyring
import VaultKeyring

let hardening = Hardening.closeProcess()

let surroundings = Surroundings.live()
let folders = Folders(surroundings.variable)
// A person who is asked to unlock the vault gets two minutes.
let terminal = Terminal.live(patience: 120)
let vaultStore = VaultStore(
  folder: folders.vault,
  passphrases: PassphraseSource(surroundings, terminal: terminal),
  kernel: .live,
  entropy: .live()
)
let isDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { surroundings.variable($0) != nil }

let world = World(
  secretService: .secretService(canPrompt: isDesktop),
  vaultKeyring: vaultStore.keyring,
  vault: vaultStore.vault,
  files: .live(folders),
  streams: .live(),
  terminal: terminal,
  surroundings: surroundings,
  clock: .live(),
  entropy: .live(),
  transport: .live(environment: surroundings.variable),
  browser: .live(undoing: hardening, surroundings.variable),
  listener: .live(),
  signals: .live(),
  dns: .live(variable: surroundings.variable),
  qrCode: .live(surroundings.variable),
  schemeHandler: .live(folders, surroundings.variable),
  secretFiles: .live(),
  exec: .live(undoing: hardening),
  upkeep: .live(folders),
  localServer: .live(folder: folders.sockets)
)
let status = await Acct.run(Array(CommandLine.arguments.dropFirst()), in: world)
vaultStore.end()
exit(status)
