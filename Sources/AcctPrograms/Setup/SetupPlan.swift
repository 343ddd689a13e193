package import AcctEngine
package import AcctModel
package import AcctPorts
import AcctProtocol
import Secrets

/// The changes of a setup, to be shown before they are made.
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
  /// `true` while each file gets back the bytes that it had.
  package internal(set) var restoresBytes = true
  /// Lines that an earlier change took out of a file that was written since, and that undoing it does not bring back.
  package internal(set) var notRestored: [String] = []

  init(_ program: SetupProgram, _ host: String?) {
    self.program = program
    self.host = host
  }

  package var isUndo: Bool { undone != nil }
  /// `true` if the program does not ask acct in spite of its setting, at least for some servers.
  package var isOverruled: Bool { remarks.contains(where: \.isOverruling) }
  package var isEmpty: Bool { edits.isEmpty && allowed == nil }
  /// The lines that are not acct's, and that the program's tool drops.
  package var lost: [String] { edits.flatMap(\.lost) }
  /// The first edit of a file that is not the user's to write; then nothing is changed.
  package var obstructed: Edit? { edits.first { $0.obstacle != nil } }

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
    /// The lines that are not acct's, and that the program's tool drops.
    package internal(set) var lost: [String] = []
    /// The lines to write where acct does not.
    package internal(set) var byHand: [String] = []

    package var path: String { file.path }
    package var isRemoval: Bool { contents == nil }
    package var diff: LineDiff { LineDiff(from: file.contents, to: contents) }

    package var obstacle: SettingsFile.Obstacle? {
      file.obstacle ?? (file.contents?.isGenerated == true && !isProgram ? .generated : nil)
    }
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
  /// The program would ask acct if other settings did not decide.
  case overruled([SetupRemark])
  /// The settings can't be read.
  case failed(EngineError)
}
