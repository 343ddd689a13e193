package import AcctModel
import AcctPorts
package import AcctProtocol
import Secrets

/// What a setup would change, to be shown before it is done.
package struct SetupPlan: Sendable {
  package let program: SetupProgram
  /// The host that it is for, as the user gave it; `nil` for all.
  package let host: String?
  package var edits: [Edit] = []
  package var remarks: [SetupRemark] = []
  /// The account that gets one more origin, and that origin.
  package var allowed: (account: Account, origin: Origin)?
  /// The recorded changes that it undoes; `nil` for a setup.
  var undone: [SetupRecord]?
  /// `true` while each file gets back the bytes that it had; `false` if only acct's settings are taken out of one.
  package internal(set) var restoresBytes = true

  init(_ program: SetupProgram, _ host: String?) {
    self.program = program
    self.host = host
  }

  package var isUndo: Bool { undone != nil }
  package var isEmpty: Bool { edits.isEmpty && allowed == nil }

  /// A file that is changed.
  package struct Edit: Sendable {
    var file: SettingsFile
    /// The new contents; `nil` to remove the file.
    var contents: Secret?
    /// The folders that are made for it, or are removed with it.
    var folders: [String]
    /// `true` for a program that acct writes, not a file of settings.
    package var isProgram: Bool
    /// The settings that are changed in it, or changed back.
    package var changes: [SettingChange]

    package var path: String { file.path }
    package var isRemoval: Bool { contents == nil }
  }
}

/// The state of a program's settings.
package enum SetupState: Equatable, Sendable {
  case notInstalled
  case notSetUp
  /// The program asks acct.
  case setUp
  /// The program asks acct for these hosts.
  case setUpFor(hosts: [String])
  /// The settings can't be read.
  case failed(EngineError)
}
