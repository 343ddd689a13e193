import AcctCLI
import AcctTestSupport
import Testing

extension RecordedWorld {
  func run(_ arguments: [String]) async -> Int32 { await Acct.run(arguments, in: world()) }
}
