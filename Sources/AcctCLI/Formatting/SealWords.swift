import AcctModel

/// Why a TPM does not open a vault, in words that follow a colon.
func words(forSeal failure: HardwareKeyFailure) -> String {
  switch failure {
  case .absent(let reason), .unsuitable(let reason), .malformedReply(let reason),
    .failed(let reason), .noPIN(let reason):
    reason
  case .forbidden(let path): "you may not open \(path)"
  case .busy: "it is busy"
  case .lockedOut: "it is locked, after too many wrong PINs"
  case .foreign: "the vault was sealed in another TPM, or this one was cleared"
  case .wrongPIN, .cancelled, .notTouched, .gone: "it gives no reason"
  }
}
