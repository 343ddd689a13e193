package import AcctModel
import Synchronization

/// The name of the account that a command is for, once it is known.
package final class ChosenAccount: Sendable {
  private let chosen = Mutex<AccountName?>(nil)

  package init() {}

  package var name: AccountName? {
    get { chosen.withLock { $0 } }
    set { chosen.withLock { $0 = newValue } }
  }
}
