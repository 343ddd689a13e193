import AcctModel
import AcctPorts
import AcctProtocol

/// Why an address is not the callback that is waited for.
func words(for flaw: CallbackFlaw) -> String {
  switch flaw {
  case .tooLong: "it is longer than \(CallbackAddress.limit / 1024) KiB"
  case .malformed: "it is not an address"
  case .doubled(let name): "\(printable(name)) is present twice"
  case .foreign: "it is neither an app's own scheme nor a loopback address"
  case .unexpected: "it does not match --callback"
  case .incomplete(let name): "there is no \(name)"
  case .unfit(let name): "\(name) is malformed"
  case .mismatched(let name): "its \(name) is not the one that was requested"
  }
}

/// Why the desktop does not hand addresses over.
func words(for failure: SchemeHandlerFailure) -> String {
  switch failure {
  case .nobodyWaits: "no sign-in is waiting for a callback"
  case .failed(let reason): reason
  }
}
