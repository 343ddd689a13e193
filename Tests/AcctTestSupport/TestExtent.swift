import Glibc

/// How much of a test that repeats itself is run.
///
/// `make test` runs short forms, which are enough to see a change fail; `make test-all` and
/// `.ci/run` run the long ones, which look for failures that occur once in hundreds of times.
package enum TestExtent {
  /// Whether the long forms are wanted: `ACCT_TESTS=all`.
  package static let isFull = unsafe getenv("ACCT_TESTS").map { unsafe String(cString: $0) } == "all"

  /// The number of repetitions: `full` in the long form, otherwise `short`.
  package static func count(_ short: Int, full: Int) -> Int { isFull ? full : short }
}
