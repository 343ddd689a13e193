import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

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
