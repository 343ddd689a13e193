import AcctPorts

/// The reason why an account of a shared keyring can't be used, behind a colon.
func words(for damage: SharedDamage) -> String {
  switch damage {
  case .notAnObject: "it is no object of acct's, or is cut short"
  case .unknownVersion: "a later version of acct wrote it"
  case .modified: "it was modified, or belongs to another place"
  case .malformed: "it is not of the form that acct writes"
  case .strayKey: "its key is no account's"
  case .notThisAccount: "its record is no account, or another one"
  case .localState: "its record speaks of the files of one machine"
  case .keyInDevice: "it names a key in a device, which no shared account has"
  case .guest: "it is a guest, which belongs to one machine"
  case .item(let kind): "its item \(kind.rawValue) is not what acct writes"
  case .nameTaken: "another account has its name"
  }
}
