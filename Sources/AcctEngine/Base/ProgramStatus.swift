import Synchronization

/// The exit status of a program that was run to its end, and that the command ends with.
package final class ProgramStatus: Sendable {
  private let status = Mutex<Int32?>(nil)

  package init() {}

  package var value: Int32? {
    get { status.withLock { $0 } }
    set { status.withLock { $0 = newValue } }
  }
}
