import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

extension ErrorMessage {
  /// Accounts could not be exported, or an export could not be imported.
  init(_ error: TransferError) {
    let nothing = "nothing was stored"
    switch error {
    case .sealed(let error): self.init(error)
    case .notAccounts: self.init("badExport", .badInput, "the export contains no accounts of acct", hint: nothing)
    case .local(let name):
      self.init(
        "badExport",
        .badInput,
        "\(name) in the export names a file, a program or a device, which no export of acct does",
        hint: "\(nothing); check who wrote the file"
      )
    case .unsound(let name):
      self.init(
        "badExport",
        .badInput,
        "\(name) has credentials that don't belong together",
        hint: loginHint(name)
      )
    case .nothingToExport(let name):
      self.init(
        "nothingToExport",
        .signInRequired,
        "\(name) is signed out: it has nothing to export",
        hint: loginHint(name)
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
        "an export is not for a terminal: name a file, or use a pipe",
        hint: "acct export NAME -o FILE"
      )
    case .file(.failed(let path, let reason)): self.init("fileFailed", .failed, "\(path): \(reason)")
    case .file(.missing(let path)): self.init("fileFailed", .failed, "\(path): no such file or directory")
    case .file(.exposed(let path, let reason, let chmod)):
      self.init("fileFailed", .failed, "\(path): \(reason)", hint: closing(chmod))
    case .file(.exists(let path)):
      self.init("fileExists", .failed, "\(path) already exists", hint: "`--force` replaces it")
    case .noPassphrase:
      self.init(
        "passphraseNeeded",
        .usage,
        "an export needs a passphrase, and acct can't prompt for it",
        hint: "`--passphrase-file FILE`, or set ACCT_EXPORT_PASSPHRASE_FILE"
      )
    case .emptyPassphrase: self.init("passphraseEmpty", .failed, "the passphrase of the export is empty")
    case .passphrasesDiffer: self.init("passphrasesDiffer", .failed, "the two passphrases differ", hint: "try again")
    case .oneNameForSeveral: self.init("usage", .usage, "--name is for one account, and the export holds several")
    case .newerHere(let names):
      let owners = names.map(\.description).joined(separator: ", ")
      self.init(
        "newerHere",
        .failed,
        "the tokens of \(owners) here are newer than those of the import: \(nothing)",
        hint: "`--replace` takes those of the import"
      )
    }
  }

  private init(_ error: SealedExportError) {
    let nothing = "nothing was stored"
    switch error {
    case .malformed(let member):
      self.init("badExport", .badInput, "this is not an export of acct: its \(member) is malformed", hint: nothing)
    case .unknownVersion:
      self.init(
        "badExport",
        .badInput,
        "this version of acct does not support the export's version",
        hint: "use a newer acct; \(nothing)"
      )
    case .unsuitableCost:
      self.init(
        "badExport",
        .badInput,
        "the export's scrypt parameters are invalid, or would exhaust this machine",
        hint: nothing
      )
    case .damaged:
      self.init(
        "badExport",
        .badInput,
        "the export was damaged in transit: its checksum is wrong",
        hint: "copy it again; \(nothing)"
      )
    case .notOpened:
      self.init(
        "wrongPassphrase",
        .badInput,
        "the passphrase is wrong, or the export was modified; acct can't tell which",
        hint: nothing
      )
    case .libraryFailed: self = .cryptoFailed
    }
  }
}
