import AcctConsole
import AcctEngine
import AcctModel
import KeyDevices

/// Why a sign-in has no key in a device.
enum NewKeyFlaw: Error, Equatable, Sendable {
  /// The server did not bind its tokens to the key.
  case notBound(Origin?)
  /// The sign-in may be to any of these accounts, and they have their keys in several places.
  case placeUnclear([AccountName])
}

extension EngineError {
  static func newKey(_ flaw: NewKeyFlaw) -> EngineError { .told(Told(flaw, ErrorMessage(flaw))) }
}

extension ErrorMessage {
  fileprivate init(_ flaw: NewKeyFlaw) {
    switch flaw {
    case .notBound(let origin):
      self = .code("dpopNotUsed", .serverFailed)
        .saying("\(origin?.description ?? "the server") did not bind the tokens to the key; nothing was stored")
        .hint("leave out --key")
    case .placeUnclear(let accounts) where accounts.count == 1:
      let line = loginLine(accounts[0], ["--key", "software"])
      self = .code("keyPlaceUnclear", .usage)
        .saying("\(accounts[0]) has its key in a device, and its item is missing from the keyring")
        .hint("`\(line)` makes one outside of a device; --key pkcs11:URI names the one in the device")
    case .placeUnclear(let accounts):
      self = .code("keyPlaceUnclear", .usage)
        .saying("\(list(accounts)) have their keys in different places")
        .hint("say which with --key, or --name NAME")
    }
  }
}

extension PKCS11URI {
  /// Reads a URI that a person or the keyring names.
  init(named text: String) throws(EngineError) {
    do throws(PKCS11URIFlaw) { try self.init(text) } catch {
      throw .told(Told(error, ErrorMessage.code("usage", .usage).saying(words(for: error))))
    }
  }
}

private func words(for flaw: PKCS11URIFlaw) -> String {
  switch flaw {
  case .otherScheme: "a key in a token is named by a URI that begins with pkcs11:"
  case .pinValue: "the URI names a PIN, which other users may read: use pin-source=file:PATH"
  case .pinProgram: "pin-source names a program, which acct does not run: use pin-source=file:PATH"
  case .malformed: "it is not a PKCS#11 URI such as pkcs11:token=NAME;object=KEY"
  case .unknownAttribute(let name): "acct does not select keys by the attribute \(printable(name))"
  case .repeatedAttribute(let name): "the attribute \(printable(name)) is there twice"
  case .wrongValue("module-path"): "module-path is not an absolute path"
  case .wrongValue("pin-source"): "pin-source is neither file:PATH nor an absolute path"
  case .wrongValue(let name): "the value of \(printable(name)) is not usable"
  }
}

extension Notice {
  /// The key was in its token before, and the token reports that it was made elsewhere or could once be read.
  static let mayHaveCopies = Self.told(
    "a copy of this key may exist: its token says that it was not made there, or could once be read"
  )

  /// The key was removed from the token that had it.
  static func keyRemoved(of account: AccountName) -> Notice { .told("the key of \(account) is gone from the token") }

  /// A key that acct made in a token is still there, and no account uses it.
  static func keyLeft(_ uri: PKCS11URI, _ failure: HardwareKeyFailure) -> Notice {
    .told(
      "the key is still in its token (\(ErrorMessage(failure, .pkcs11).text)); remove it there: "
        + "`p11tool --login --delete \(shellWord(printable(uri.description)))`"
    )
  }
}
