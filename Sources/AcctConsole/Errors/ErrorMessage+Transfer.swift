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
    case .notAccounts:
      self = .code("badExport", .badInput)
        .saying("the export contains no accounts of acct")
        .hint(nothing)
    case .local(let name):
      self = .code("badExport", .badInput)
        .saying("\(name) in the export names a file, a program or a device, which no export of acct does")
        .hint("\(nothing); check who wrote the file")
    case .unsound(let name):
      self = .code("badExport", .badInput)
        .saying("\(name) has credentials that don't belong together")
        .hint(loginHint(name))
    case .nothingToExport(let name):
      self = .code("nothingToExport", .signInRequired)
        .saying("\(name) is signed out: it has nothing to export")
        .hint(loginHint(name))
    case .tooLarge(let limit):
      self = .code("exportTooLarge", .failed)
        .saying("the export would be larger than \(limit / 1024) KiB")
        .hint("export fewer accounts at once")
    case .terminal:
      self = .code("usage", .usage)
        .saying("an export is not for a terminal: name a file, or use a pipe")
        .hint("acct export NAME -o FILE")
    case .file(.failed(let path, let reason)): self = .code("fileFailed", .failed).saying("\(path): \(reason)")
    case .file(.missing(let path)): self = .code("fileFailed", .failed).saying("\(path): no such file or directory")
    case .file(.exposed(let path, let reason, let chmod)):
      self = .code("fileFailed", .failed)
        .saying("\(path): \(reason)")
        .hint(closing(chmod))
    case .file(.exists(let path)):
      self = .code("fileExists", .failed)
        .saying("\(path) already exists")
        .hint("`--force` replaces it")
    case .noPassphrase:
      self = .code("passphraseNeeded", .usage)
        .saying("an export needs a passphrase, and acct can't prompt for it")
        .hint("`--passphrase-file FILE`, or set ACCT_EXPORT_PASSPHRASE_FILE")
    case .emptyPassphrase: self = .code("passphraseEmpty", .failed).saying("the passphrase of the export is empty")
    case .passphrasesDiffer:
      self = .code("passphrasesDiffer", .failed)
        .saying("the two passphrases differ")
        .hint("try again")
    case .oneNameForSeveral:
      self = .code("usage", .usage)
        .saying("--name is for one account, and the export holds several")
    case .newerHere(let names):
      let owners = names.map(\.description).joined(separator: ", ")
      self = .code("newerHere", .failed)
        .saying("the tokens of \(owners) here are newer than those of the import: \(nothing)")
        .hint("`--replace` takes those of the import")
    }
  }

  private init(_ error: SealedExportError) {
    switch error {
    case .malformed(let member):
      self = .code("badExport", .badInput)
        .saying("this is not an export of acct: its \(member) is malformed")
    case .unknownVersion:
      self = .code("badExport", .badInput)
        .saying("the export was written by a later version of acct")
        .hint("update acct on this machine")
    case .unsuitableCost:
      self = .code("badExport", .badInput)
        .saying("the export's scrypt parameters are invalid, or would exhaust this machine")
    case .damaged:
      self = .code("badExport", .badInput)
        .saying("the export was damaged in transit: its checksum is wrong")
        .hint("copy it again")
    case .notOpened:
      self = .code("wrongPassphrase", .badInput)
        .saying("the passphrase is wrong, or the export was modified; acct can't tell which")
    case .libraryFailed: self = .cryptoFailed
    }
    guard status == .badInput else { return }
    hint = [hint, "nothing was stored"].compactMap(\.self).joined(separator: "; ")
  }
}
