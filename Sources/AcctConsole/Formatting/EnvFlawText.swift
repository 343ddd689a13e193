package import AcctProtocol

/// Why a `.env` file can't be read.
package func words(for flaw: EnvFlaw) -> String {
  let reason =
    switch flaw.reason {
    case .name: "it begins with no name of a variable"
    case .equals: "no = follows the name"
    case .rest: "something follows the quoted value"
    case .zero: "it has a zero byte"
    case .encoding: "it is not UTF-8"
    }
  return "line \(flaw.line): \(reason)"
}
