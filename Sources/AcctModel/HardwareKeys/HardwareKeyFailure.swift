/// Why a key in a TPM, a smart card or another token could not be made or used.
///
/// Reasons are words that follow a colon; they contain no PIN, and nothing that the device chose
/// freely unless it was cut to printable text.
package enum HardwareKeyFailure: Error, Equatable, Sendable {
  /// There is no such device or token now, or it was unplugged.
  case absent(reason: String)
  /// The device is there, and this user may not open it.
  case forbidden(path: String)
  /// The device answers "try again", and still did so at the end of the wait.
  case busy
  /// Too many wrong PINs: the device refuses every further try.
  case lockedOut
  /// The PIN is wrong; the number of tries that are left, where the device tells it.
  case wrongPIN(triesLeft: Int?)
  /// The key has a PIN, and no person can be asked for it.
  case noPIN(reason: String)
  /// The person did not answer, or refused.
  case cancelled
  /// The token waited for a touch, and none came.
  case notTouched
  /// The key belongs to another TPM, or the TPM was cleared.
  case foreign
  /// The TPM's owner set a password, so that only the owner can derive the parent of keys, and the TPM keeps no storage key.
  case owned
  /// The token no longer has the key.
  case gone
  /// The named object can't be such a key: a file that is no module, a key of another curve, a key that may also
  /// decrypt.
  case unsuitable(reason: String)
  /// The device gave an answer that no device of its kind may give.
  case malformedReply(reason: String)
  /// The device refused for another reason, with its own error number.
  case failed(reason: String)
}

extension HardwareKeyFailure {
  /// The key has a PIN, and there is no terminal to ask for it at.
  package static let noPrompt = Self.noPIN(reason: "acct can't prompt for it")
  /// The blob is of another key than the one that was made.
  package static let otherBlob = Self.malformedReply(reason: "the blob is not of the key that was made")
  package static let notOnCurve = Self.malformedReply(reason: "the public key is not a point of P-256")
}
