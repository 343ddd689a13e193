import AcctEngine
package import AcctModel
import AcctPorts
import AcctProtocol

extension ErrorMessage {
  /// A device did not make or use a key.
  package init(_ failure: HardwareKeyFailure, _ storage: KeyStorage) {
    let device = words(for: storage)
    switch failure {
    case .absent(let reason):
      self = .code("deviceAbsent", .keyringUnavailable)
        .saying("\(device) can't be reached: \(reason)")
        .hint(
          storage == .pkcs11
            ? "plug it in and try again"
            : "turn it on or start it, and try again; `acct key list --hardware` shows which devices "
              + "are there, and --key tpm:DEVICE or ACCT_TPM names another one"
        )
    case .forbidden(let path):
      self = .code("deviceForbidden", .keyringUnavailable)
        .saying("you may not use \(path)")
        .hint(
          storage == .tpm2
            ? "join group tss: `sudo usermod -aG tss $USER`, then log in again" : nil
        )
    case .busy:
      self = .code("deviceBusy", .keyringUnavailable)
        .saying("\(device) stays busy")
        .hint("try again")
    case .lockedOut:
      self = .code("deviceLockedOut", .keyringLocked)
        .saying("\(device) is locked: too many PINs were wrong")
        .hint(
          storage == .tpm2
            ? "wait until it allows another try, or `tpm2_dictionarylockout --clear-lockout`"
            : "unblock it with its PUK or security officer's PIN"
        )
    case .wrongPIN(let triesLeft):
      let left = triesLeft.map { $0 == 1 ? ": 1 try left" : ": \($0) tries left" } ?? ""
      self = .code("wrongPIN", .keyringLocked).saying("the PIN is wrong\(left)")
    case .noPIN(let reason):
      // A file that was named and can't be used is named again by the reason.
      self = .code("pinNeeded", .keyringLocked)
        .saying("the key in \(device) needs its PIN: \(reason)")
        .hint(failure == .noPrompt ? "set ACCT_KEY_PIN_FILE" : nil)
    case .cancelled: self = .code("cancelled", .cancelled).saying("cancelled; nothing was changed")
    case .notTouched:
      self = .code("notTouched", .keyringLocked)
        .saying("\(device) was not touched in time")
        .hint("try again")
    case .foreign:
      self = .code("keyForeign", .signInRequired).saying("this key belongs to another TPM, or the TPM was cleared")
      needsLogin = true
    case .owned:
      self = .code("tpmOwned", .keyringUnavailable)
        .saying("the TPM's owner set a password, and the TPM keeps no storage key (0x81000001)")
        .hint(storageKeyLine)
    case .gone:
      self = .code("keyGone", .signInRequired).saying("the key is no longer in \(device)")
      needsLogin = true
    case .unsuitable(let reason):
      self = .code("keyUnsuitable", .badInput)
        .saying("\(device) can't be used: \(reason)")
    case .malformedReply(let reason):
      self = .code("deviceFailed", .keyringUnavailable).saying("\(device) gave a wrong answer: \(reason)")
    case .failed(let reason): self = .code("deviceFailed", .keyringUnavailable).saying("\(device) failed: \(reason)")
    }
  }

  /// A key in a device is not for this.
  init(inDevice account: String, _ storage: KeyStorage) {
    self = .code("keyInDevice", .failed)
      .saying("the key of \(account) can't be read or replaced: it never leaves \(words(for: storage))")
      .hint("sign in on the other machine with `acct add`; each has a key of its own")
  }
}

/// The lines that have a TPM keep the key that acct derives.
package let storageKeyLine =
  "`tpm2_createprimary -C o -P file:- -G ecc256 -g sha256 -a 'fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda"
  + "|restricted|decrypt' -c srk && tpm2_evictcontrol -C o -P file:- -c srk 0x81000001` makes one; each command reads the "
  + "owner's password from standard input, up to Ctrl-D"

/// The name of a place of keys.
package func words(for storage: KeyStorage) -> String {
  switch storage {
  case .software: "the keyring"
  case .tpm2: "the TPM"
  case .pkcs11: "the token"
  }
}

extension ErrorMessage {
  /// The DPoP key of an account, or its client's key, can't be used.
  init(_ error: KeyError) {
    switch error {
    case .missing(let account):
      self = .code("noKey", .failed).saying("\(account) has no DPoP key: its tokens are not bound to one")
    case .unusable(.libraryFailed): self = .cryptoFailed
    case .unusable(let error):
      self = .code("badKey", .badInput)
        .saying("the DPoP key can't be used: \(words(for: error))")
    case .proof: self = .code("proofFailed", .failed).saying("the DPoP proof could not be signed")
    case .other(let account):
      self = .code("otherKey", .badInput).saying("this is not the key that \(account)'s tokens are bound to")
    case .hardware(let failure, let storage): self.init(failure, storage)
    case .inDevice(let account, let storage): self.init(inDevice: account.description, storage)
    case .notShared:
      self = .code("keyNotShared", .failed)
        .saying("a key in a device can't be used by the other machines that share the keyring")
        .hint("leave out --key: the shared keyring encrypts the key")
    case .notOffered(let origin):
      self = .code("dpopNotOffered", .failed)
        .saying("\(origin) does not offer DPoP: it can't bind tokens to a key")
        .hint("leave out --key; `acct vault seal` protects bearer tokens")
    case .leavesDevice(let account, let storage):
      self = .code("keyInDevice", .failed)
        .saying("\(account) has its key in \(words(for: storage)), and these credentials don't")
        .hint("`\(acctLine("remove", account.description))` first, or sign in with --key software")
    case .clientKey: self = .code("assertionFailed", .failed).saying("the client's assertion could not be signed")
    }
  }
}
