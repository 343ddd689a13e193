import AcctConsole
import AcctModel
import AcctEngine
package import AcctPorts
import AcctProtocol

/// The settings of another program could not be changed; they are as they were.
package enum SetupError: Error, Equatable, Sendable {
  case notInstalled(SetupProgram)
  /// The program finds acct by a name that is not on `PATH`.
  case missingName(String, SetupProgram)
  /// The program's settings do not tell hosts apart.
  case everyHost(SetupProgram)
  /// The setup is for one role, and none is named.
  case noRole
  /// The role can't be one; or the region of the environment, which the name then is.
  case role(String)
  /// The name of a profile would need quotes.
  case profile(String)
  /// The program has no roles and no profiles.
  case noRoles(SetupProgram)
  /// The value of `--host` is no host.
  case host(String)
  /// The program's settings know no server of this host.
  case unknownHost(String, SetupProgram)
  /// kubectl has no context to change.
  case noContext
  /// This version of the program knows no such setting.
  case tooOld(SetupProgram, setting: String)
  /// A program of this name stands before the script that would be written.
  case otherProgram(path: String)
  /// The folder of the script is not on `PATH`.
  case folderNotSearched(path: String)
  case file(SettingsFileFailure)
  /// The file is not the user's to write; `isUndo` if a setup was to be taken back.
  case notOurs(path: String, SettingsFile.Obstacle, isUndo: Bool)
  /// The program's tool drops these lines, and the user has not agreed, as the command line does.
  case losing(SetupProgram, [String], agreeing: String)
  case malformed(path: String, SetupProgram, SettingsFlaw)
  /// The program itself cannot read its file; the first line of its words.
  case unreadable(path: String, SetupProgram, words: String)
  /// A program gave no result.
  case program(ProgramFailure)
  /// A program did not make the change; the first line of its words.
  case refused(program: String, status: Int32, words: String)

  /// `true` if the program is as it was because there is nothing in it to change, or acct would not be found.
  var leavesProgramAlone: Bool {
    switch self {
    case .noContext, .otherProgram, .folderNotSearched, .tooOld: true
    case .notInstalled, .missingName, .everyHost, .noRole, .role, .profile, .noRoles, .host, .unknownHost, .file,
      .notOurs,
      .losing, .malformed, .unreadable, .program, .refused:
      false
    }
  }
}

extension EngineError {
  /// The failure of a use case.
  static func setup(_ error: SetupError) -> EngineError { .told(Told(error, ErrorMessage(error))) }

  /// The failure, if it is one of these.
  var setup: SetupError? { if case .told(let told) = self { told.failure as? SetupError } else { nil } }
}
