/// What the protocol of a renewal needs to know of the machine that it runs on, and of its processes.
package struct Machine: Sendable {
  /// This process, with the home that its copies are in; no other one, on any machine, has the same name.
  package var thisProcess: @Sendable (_ home: String) -> LockOwner
  /// Whether the owner of a lock still runs; asked only of owners of this boot and this pid namespace.
  package var runs: @Sendable (LockOwner) -> Bool
  /// Milliseconds since the boot, which run on while the machine sleeps.
  package var bootTime: @Sendable () -> Int64
  /// Waits so many milliseconds; returns `false` at once when the task is cancelled.
  package var pause: @Sendable (_ milliseconds: Int64) async -> Bool

  package init(
    thisProcess: @escaping @Sendable (_ home: String) -> LockOwner,
    runs: @escaping @Sendable (LockOwner) -> Bool,
    bootTime: @escaping @Sendable () -> Int64,
    pause: @escaping @Sendable (_ milliseconds: Int64) async -> Bool
  ) {
    self.thisProcess = thisProcess
    self.runs = runs
    self.bootTime = bootTime
    self.pause = pause
  }
}
