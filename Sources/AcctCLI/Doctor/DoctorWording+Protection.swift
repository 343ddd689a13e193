import AcctEngine
import AcctModel

extension DoctorWording {
  /// The TPM of a sealed vault, and the kernel's protection for a process that runs for days.
  init(protection subject: Finding.Subject) {
    switch subject {
    case .sealFails(let failure, let address):
      self.init(
        "vaultSeal",
        "the TPM at \(address.description) does not open the vault: \(words(forSeal: failure))",
        fix: failure == .owned
          ? storageKeyLine : "`acct vault seal` seals it again, with the passphrase; `acct vault unseal` ends it"
      )
    case .proxyMemory(isSecret: true):
      self.init("proxyMemory", "`acct proxy` keeps its secrets in memory that no other process can read (memfd_secret)")
    case .proxyMemory:
      self.init("proxyMemory", "this system has no memfd_secret: root can read the secrets of a running `acct proxy`")
    case .proxyFence(let version?):
      self.init("proxyFence", "`acct proxy` can't open files that it has no use for (landlock \(version))")
    case .proxyUnfenced(let obstacle):
      self.init("proxyUnfenced", "`acct proxy` for these accounts can open all your files: \(words(for: obstacle))")
    case .proxyFence(version: nil):
      self.init("proxyFence", "this system has no landlock: `acct proxy` can open all your files")
    case .sealOpens(let address): self.init("vaultSeal", "the TPM at \(address.description) opens the vault")
    default: self.init("vaultSeal", "the vault is sealed in a TPM")
    }
  }
}

/// Why a proxy is without a fence, though the kernel has one.
func words(for obstacle: ProxyFence.Obstacle) -> String {
  switch obstacle {
  case .module(let account): "a key of \(account) is in a token, whose module reads files of its own"
  case .program(let account): "the token of \(account) starts from a program, which reads files of its own"
  case .sharedKeyring: "the engine of the shared keyring is reached by a library that reads files of its own"
  case .tokenFile(let paths):
    "\(paths.map { printable($0) }.joined(separator: ", ")) lies directly in the home folder, which would be open with it"
  }
}
