import FuzzTargets
import Glibc

/// What libFuzzer runs: one target, named by `ACCT_FUZZ_TARGET`.
private let target: FuzzTarget? = unsafe getenv("ACCT_FUZZ_TARGET")
  .flatMap { name in unsafe FuzzTarget(rawValue: String(cString: name)) }

/// Hands one input to the target, and stops the process if a property does not hold.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let target else { fatalError("ACCT_FUZZ_TARGET names no target") }
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if let violation = target.violation(of: bytes) { fatalError(violation) }
  return 0
}
