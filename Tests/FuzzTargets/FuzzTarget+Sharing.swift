import AcctModel
import AcctPorts
import SharedKeyring
import VaultKey

/// What an account's object says once it is decrypted, and what an engine may hand out in its place.
func sharedObjectViolation(_ bytes: [UInt8]) -> String? {
  let key = Secret([UInt8](repeating: 7, count: 32))
  let entropy = Entropy { count in [UInt8](repeating: 9, count: count) }
  // Without the key an object that opens can't be made.
  guard
    (try? Seal(key: key, entropy: entropy, check: { _ in nil }).open(bytes, at: "/acct/main/a/x"))
      == nil
  else {
    return "an object that was never sealed"
  }
  guard let object = try? SharedObject(parsing: Secret(bytes)) else { return nil }
  guard object.serialized() == Secret(bytes) || object.lock != nil else {
    return "an object with more than one form"
  }
  return (try? SharedObject(parsing: object.serialized())) == object
    ? nil : "an object that reads otherwise when written"
}

/// The files of a shared keyring on this machine, and its header on the engine.
func sharedFilesViolation(_ bytes: [UInt8]) -> String? {
  if let settings = SettingsFile.parse(bytes),
    SettingsFile.parse(SettingsFile.serialized(settings)) != settings
  {
    return "settings that read otherwise when written"
  }
  if let known = KnownKeyring(parsing: bytes), KnownKeyring(parsing: known.serialized()) != known {
    return "a standing that reads otherwise when written"
  }
  if let copy = CopyFile(parsing: bytes), CopyFile(parsing: copy.serialized()) != copy {
    return "a copy that is another one when written"
  }
  if let pending = PendingFile(parsing: bytes),
    PendingFile(parsing: pending.serialized()) != pending
  {
    return "a pending answer that reads otherwise when written"
  }
  if let header = try? AnyVaultHeader(parsing: bytes),
    (try? AnyVaultHeader(parsing: header.serialized())) != header
  {
    return "a header that reads otherwise when written"
  }
  return nil
}
