/// The exit statuses of the contract.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case cancelled = 3
  case signInRequired = 4
  case noSuchAccount = 5
  case keyringLocked = 6
  case keyringUnavailable = 7
  case refused = 8
  case rateLimited = 9
  case network = 10
  case serverFailed = 11
  case usage = 64
  case badInput = 65
  case commandNotExecutable = 126
  case commandNotFound = 127
}
