/// What a person is asked for at the terminal.
package enum Prompt: Equatable, Sendable {
  /// The PIN of a device.
  case pin(device: String)
  /// A PIN for a new key in a device.
  case newPIN(device: String)
  case pinAgain
  /// A passphrase for a new export.
  case newPassphrase
  case passphraseAgain
  /// The passphrase of an existing export.
  case passphrase
  /// The address that the browser was redirected to.
  case callbackAddress
}
