import AcctModel
import AcctPorts
import AcctProtocol

/// Why an address is not the callback that is waited for.
func words(for flaw: CallbackFlaw) -> String {
  switch flaw {
  case .tooLong: "it is longer than \(CallbackAddress.limit / 1024) KiB"
  case .malformed: "it is not an address"
  case .doubled(let name): "\(printable(name)) is there twice"
  case .foreign: "it is neither an app's own scheme nor this machine"
  case .unexpected: "it is not where --callback says"
  case .incomplete(let name): "there is no \(name)"
  case .unfit(let name): "\(name) is not what it must be"
  case .mismatched(let name): "its \(name) is not the one that was asked for"
  }
}

/// Why the desktop does not hand addresses over.
func words(for failure: SchemeHandlerFailure) -> String {
  switch failure {
  case .nobodyWaits: "nobody waits for a callback"
  case .failed(let reason): reason
  }
}
