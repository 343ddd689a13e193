import AcctEngine
import AcctPorts
import AcctProtocol

extension ErrorMessage {
  /// Accounts could not be exported, or an export not be taken.
  init(_ error: TransferError) {
    let nothing = "nothing was stored"
    switch error {
    case .sealed(let error): self.init(error)
    case .notAccounts:
      self.init("badExport", .badInput, "the export holds no accounts of acct's", hint: nothing)
    case .unsound(let name):
      self.init(
        "badExport",
        .badInput,
        "\(name) has parts that don't belong together",
        hint: "sign in to it again with `acct add`"
      )
    case .nothingToExport(let name):
      self.init(
        "nothingToExport",
        .signInRequired,
        "\(name) is signed out: there is nothing to export of it",
        hint: "sign in again with `acct add`; the account keeps its name"
      )
    case .tooLarge(let limit):
      self.init(
        "exportTooLarge",
        .failed,
        "the export would be larger than \(limit / 1024) KiB",
        hint: "export fewer accounts at once"
      )
    case .terminal:
      self.init(
        "usage",
        .usage,
        "an export is not for a terminal: name a file, or pipe it on",
        hint: "acct export NAME -o FILE"
      )
    case .file(.failed(let path, let reason)):
      self.init("fileFailed", .failed, "\(path): \(reason)")
    case .file(.exists(let path)):
      self.init(
        "fileExists",
        .failed,
        "\(path) is there already",
        hint: "`--force` replaces it"
      )
    case .noPassphrase:
      self.init(
        "passphraseNeeded",
        .usage,
        "an export needs a passphrase, and nobody can be asked",
        hint: "`--passphrase-file FILE`, or set ACCT_EXPORT_PASSPHRASE_FILE"
      )
    case .emptyPassphrase:
      self.init("passphraseEmpty", .failed, "the passphrase of the export is empty")
    case .passphrasesDiffer:
      self.init("passphrasesDiffer", .failed, "the two passphrases differ", hint: "try again")
    case .oneNameForSeveral:
      self.init("usage", .usage, "--name is for one account, and the export holds several")
    }
  }

  private init(_ error: SealedExportError) {
    let nothing = "nothing was stored"
    switch error {
    case .malformed(let member):
      self.init(
        "badExport",
        .badInput,
        "this is not an export of acct's: its \(member) is not what it must be",
        hint: nothing
      )
    case .unknownVersion:
      self.init(
        "badExport",
        .badInput,
        "the export is of a version that this acct does not know",
        hint: "use a newer acct; \(nothing)"
      )
    case .unsuitableCost:
      self.init(
        "badExport",
        .badInput,
        "the export's scrypt parameters are none, or would exhaust this machine",
        hint: nothing
      )
    case .damaged:
      self.init(
        "badExport",
        .badInput,
        "the export was damaged on its way: its checksum is wrong",
        hint: "copy it anew; \(nothing)"
      )
    case .notOpened:
      self.init(
        "wrongPassphrase",
        .badInput,
        "the passphrase is wrong, or somebody has changed the export; the two look alike",
        hint: nothing
      )
    case .libraryFailed:
      self.init("cryptoFailed", .failed, "OpenSSL failed; is there too little memory?")
    }
  }
}
