import AcctConsole
import AcctEngine
import AcctModel
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

extension ErrorMessage {
  /// The settings of another program could not be changed.
  init(_ error: SetupError) {
    let manual = "see `man acct-helper` for the lines to add by hand"
    switch error {
    case .notInstalled(let program):
      self = .code("notInstalled", .failed).saying("\(program.rawValue) is not installed, or not on PATH")
    case .missingName(let name, let program):
      self = .code("notOnPath", .failed)
        .saying("\(name) is not on PATH, where \(program.rawValue) looks for it")
        .hint(
          name == "acct"
            ? "put the folder of acct on PATH"
            : "a link does: `ln -s \"$(command -v acct)\" ~/.local/bin/\(name)`, with ~/.local/bin on PATH"
        )
    case .everyHost(let program):
      self = .code("usage", .usage)
        .saying("\(program.rawValue) has no setting for one host")
        .hint("`acct helper setup \(program.rawValue)` sets it up for all")
    case .host(let text):
      self = .code("usage", .usage)
        .saying("--host is a host with an optional port, or an https address, not \(printable(text))")
    case .noRole:
      self = .code("usage", .usage)
        .saying("the role is missing")
        .hint("name it with --role-arn, as arn:aws:iam::123456789012:role/NAME")
    case .role(let text):
      self = .code("usage", .usage).saying("\(printable(text)) is no role or region of AWS")
    case .profile(let text):
      self = .code("usage", .usage).saying("\(printable(text)) is no name of a profile that needs no quotes")
    case .noRoles(let program):
      self = .code("usage", .usage)
        .saying("\(program.rawValue) has no roles")
        .hint("--role-arn and --profile are for aws")
    case .unknownHost(let host, let program):
      let place = program == .cargo ? "registry with an index" : "cluster"
      self = .code("unknownHost", .failed)
        .saying("\(program.rawValue)'s settings have no \(place) at \(printable(host))")
    case .noContext:
      self = .code("noContext", .failed)
        .saying("kubectl has no current context")
        .hint("select one with `kubectl config use-context NAME`, or name the cluster with --host")
    case .tooOld(let program, let setting):
      self = .code("tooOld", .failed)
        .saying("this version of \(program.rawValue) does not know \(setting)")
        .hint("update it")
    case .otherProgram(let path):
      self = .code("refused", .refused)
        .saying("\(printable(path)) is another program, which would be run in place of acct")
        .hint("remove it, or see `man acct-helper`")
    case .folderNotSearched(let path):
      self = .code("notOnPath", .failed)
        .saying("\(printable(path)), where the script keyring goes, is not on PATH")
        .hint("`export PATH=\"\(printable(path)):$PATH\"` in your shell's profile")
    case .file(.failed(let path, let reason)):
      self = .code("fileFailed", .failed)
        .saying("\(printable(path)): \(reason)")
        .hint("nothing was changed there")
    case .file(.distrusted(let path, let reason)):
      self = .code("badInput", .badInput)
        .saying("\(printable(path)): \(reason)")
        .hint("only you may own or write it; \(manual)")
    case .notOurs(let path, let obstacle, let isUndo):
      let reason =
        switch obstacle {
        case .root: "it belongs to root"
        case .otherUser(let name): "it belongs to the user \(printable(name))"
        case .readOnly: "it is read-only"
        case .generated: "another program generates it"
        }
      self = .code("notOurs", .failed)
        .saying("\(printable(path)) was not changed: \(reason)")
        .hint(
          (isUndo ? "remove the lines with - and add those with +" : "change these lines")
            + (obstacle == .generated ? " where that program takes them from" : " by hand")
        )
    case .losing(let program, let lines, let command):
      self = .code("linesLost", .signInRequired)
        .saying("\(words(forLost: lines, program)); nothing was changed")
        .hint("`\(command)` accepts that")
    case .file(.changed(let path)):
      self = .code("fileFailed", .failed)
        .saying("\(printable(path)) was changed meanwhile")
        .hint("run the command again")
    case .malformed(let path, let program, .form(let setting)):
      self = .code("badInput", .badInput)
        .saying("\(printable(path)): \(printable(setting)) has a form that acct does not change")
        .hint(program == .kubectl ? "rename that user, or \(manual)" : manual)
    case .malformed(let path, let program, .otherHelper(let name)):
      self = .code("otherHelper", .refused)
        .saying(
          "\(printable(path)): \(program.rawValue) asks the credentials helper \(printable(name)), and takes one alone"
        )
        .hint("remove that block first")
    case .malformed(let path, let program, let flaw):
      let reason =
        switch flaw {
        case .line(let line, let flaw): "line \(line): \(words(for: flaw))"
        case .notJSON, .form, .otherHelper, .unknownHost: "it is not a JSON object"
        }
      self = .code("badInput", .badInput)
        .saying("\(printable(path)) is not a file of \(program.rawValue): \(reason)")
        .hint("nothing was changed")
    case .unreadable(let path, let program, let words):
      self = .code("badInput", .badInput)
        .saying("\(program.rawValue) cannot read \(printable(path)): \(printable(words))")
        .hint("nothing was changed")
    case .program(let failure): self.init(failure)
    case .refused(let program, let status, let words):
      let reason = words.isEmpty ? "it ended with status \(status)" : printable(words)
      self = .code("programFailed", .failed)
        .saying("\(program) did not change its settings: \(reason)")
        .hint(manual)
    }
  }
}
