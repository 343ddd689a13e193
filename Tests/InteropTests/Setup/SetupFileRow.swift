import AcctTestSupport
import Testing

/// A settings file of a program before `acct helper setup`, as a person may have it.
struct SetupFileRow: Sendable, CustomTestStringConvertible {
  let program: Program
  let name: String
  /// `nil` if there is none.
  let before: String?
  /// The lines that the program's tool drops, of which the command has to tell.
  var drops: [String] = []
  var isLink = false
  var mode = "600"

  var testDescription: String { "\(program): \(name)" }

  enum Program: String, CaseIterable, Sendable {
    case git, docker, kubectl, cargo, go, pip, terraform, aws

    var path: String {
      switch self {
      case .git: ".gitconfig"
      case .docker: ".docker/config.json"
      case .kubectl: ".kube/config"
      case .cargo: ".cargo/config.toml"
      case .go: ".config/go/env"
      case .pip: ".config/pip/pip.conf"
      case .terraform: ".terraformrc"
      case .aws: ".aws/config"
      }
    }

    /// The words behind `acct helper setup`.
    var words: [String] {
      self == .aws
        ? ["aws", "--role-arn", "arn:aws:iam::123456789012:role/made-up", "--profile", "p", "--account", "work"]
        : [rawValue]
    }

    /// A command line with which the program, or a parser of its format, says that it asks acct, and what that prints.
    func judge(_ path: String) -> (line: [String], word: String) {
      switch self {
      case .git: (["git", "config", "--global", "--get-all", "credential.helper"], "acct\n")
      case .docker: (Self.python("json.load(f)['credsStore']", path), "acct\n")
      case .kubectl: (["kubectl", "config", "view", "-o", "jsonpath={.contexts[0].context.user}"], "acct")
      case .cargo:
        (Self.python("tomllib.load(f)['registry']['global-credential-providers'][-1]", path), "cargo-credential-acct\n")
      case .go: (["go", "env", "GOAUTH"], "acct helper go\n")
      case .pip: (["pip", "config", "get", "global.keyring-provider"], "subprocess\n")
      case .terraform: (["grep", "-A1", "credentials_helper", path], "credentials_helper \"acct\" {}\n")
      case .aws: (["aws", "configure", "get", "credential_process", "--profile", "p"], "role/made-up\n")
      }
    }

    private static func python(_ expression: String, _ path: String) -> [String] {
      ["python", "-c", "import json, sys, tomllib; f = open(sys.argv[1], 'rb'); print(\(expression))", path]
    }
  }

  private static let kubeconfig = """
    apiVersion: v1
    kind: Config
    current-context: dev
    clusters:
    - {name: dev, cluster: {server: "https://k8s.example:6443"}}
    contexts:
    - {name: dev, context: {cluster: dev, user: alice}}
    users:
    - {name: alice, user: {}}

    """

  /// With so many clusters that the record of the change is longer than any other file of acct's.
  private static var manyClusters: String {
    let clusters = (0..<2500).map { "- {name: c\($0), cluster: {server: \"https://c\($0).example\"}}\n" }.joined()
    let contexts = (0..<2500).map { "- {name: x\($0), context: {cluster: c\($0), user: alice}}\n" }.joined()
    return kubeconfig.replacing("contexts:\n", with: "\(clusters)contexts:\n")
      .replacing("users:\n", with: "\(contexts)users:\n")
  }

  /// A file as kubectl itself writes it.
  private static let ownKubeconfig = """
    apiVersion: v1
    clusters:
    - cluster:
        server: https://k8s.example:6443
      name: dev
    contexts:
    - context:
        cluster: dev
        user: alice
      name: dev
    current-context: dev
    kind: Config
    users:
    - name: alice
      user: {}

    """

  private static let plain: [(Program, String)] = [
    (.git, "# mine\n[user]\n\tname = Alice ; keep\n[credential]\n\thelper = cache\n\n[alias]\n\tst = status\n"),
    (.docker, "{\n\t\"auths\": {},\n\t\"detachKeys\": \"ctrl-e,e\"\n}\n"),
    (.kubectl, ownKubeconfig),
    (.cargo, "# mine\n[net]\nretry = 1 # keep\n\n[registry]\ndefault = \"crates-io\"\n"),
    (.go, "# mine\nGOFLAGS=-mod=mod\nGOPROXY=direct\n"),
    (.pip, "[global]\nindex-url = https://index.example/simple\n\n"),
    (.terraform, "# mine\nplugin_cache_dir = \"/c\"\n"),
    (.aws, "# mine\n[default]\nregion = eu-central-1\n"),
  ]

  /// Every program's file in every form that the program reads.
  private static let forms: [SetupFileRow] = plain.flatMap { program, text -> [SetupFileRow] in
    let crlf = text.replacing("\n", with: "\r\n")
    var rows = [
      SetupFileRow(program: program, name: "as it is", before: text),
      SetupFileRow(program: program, name: "without a final line feed", before: String(text.dropLast())),
      SetupFileRow(
        program: program,
        name: "behind a link, and readable by others",
        before: text,
        isLink: true,
        mode: "644"
      ),
      SetupFileRow(
        program: program,
        name: "with an umlaut in a comment",
        before: note(program, text),
        drops: program.drops
      ),
    ]
    // go takes the carriage return for a part of the value.
    if program != .go { rows.append(SetupFileRow(program: program, name: "with CRLF", before: crlf)) }
    // kubectl needs a context.
    if program != .kubectl {
      rows.append(SetupFileRow(program: program, name: "missing", before: nil))
      rows.append(SetupFileRow(program: program, name: "empty", before: ""))
    }
    return rows
  }

  /// The file with one more comment at its end; JSON has none.
  private static func note(_ program: Program, _ text: String) -> String {
    program == .docker ? text.replacing("{}", with: "{}, \"ü\": [1,  2]") : text + "# für später\n"
  }

  static let all =
    forms + [
      SetupFileRow(program: .git, name: "with a byte order mark", before: "\u{FEFF}[user]\n\tname = Alice\n"),
      SetupFileRow(
        program: .git,
        name: "with continued lines",
        before: "[alias]\n\tx = \"!f() { \\\n\t\techo; }; f\"\n"
      ),
      SetupFileRow(program: .git, name: "with an include", before: "[include]\n\tpath = more\n[credential]\n"),
      SetupFileRow(program: .docker, name: "on one line", before: "{\"auths\":{},\"psFormat\":\"table\"}"),
      SetupFileRow(program: .docker, name: "with another helper", before: "{\n  \"credsStore\" : \"desktop\"\n}\n"),
      SetupFileRow(
        program: .kubectl,
        name: "with comments and a section of another tool",
        before: "# the cluster\n\(kubeconfig)other-tool:\n  owner: smith\n",
        drops: ["# the cluster", "other-tool:", "owner: smith"]
      ),
      SetupFileRow(
        program: .kubectl,
        name: "in JSON form",
        before:
          "{\"apiVersion\": \"v1\", \"kind\": \"Config\", \"current-context\": \"dev\", \"clusters\": [{\"name\": \"dev\", \"cluster\": {\"server\": \"https://k8s.example\"}}], \"contexts\": [{\"name\": \"dev\", \"context\": {\"cluster\": \"dev\", \"user\": \"alice\"}}], \"users\": [{\"name\": \"alice\", \"user\": {}}]}"
      ),
      SetupFileRow(program: .kubectl, name: "with 2500 clusters", before: manyClusters),
      SetupFileRow(
        program: .cargo,
        name: "with tabs and an array of several lines",
        before: "[registry]\n\tglobal-credential-providers = [\n\t\t\"cargo:token\", # first\n\t]\n"
      ),
      SetupFileRow(program: .cargo, name: "with dotted keys", before: "net.retry = 1\nregistry.default = \"a\"\n"),
      SetupFileRow(program: .go, name: "with other ways", before: "GOAUTH=git /srv\nA=b\n"),
      SetupFileRow(
        program: .pip,
        name: "with another provider",
        before: "[install]\nuser=no\n[global]\nkeyring-provider = import\n"
      ),
      SetupFileRow(
        program: .pip,
        name: "with comments",
        before: "; a note\n[global]\n# another\ntimeout = 5\n",
        drops: ["; a note", "# another"]
      ),
      SetupFileRow(
        program: .terraform,
        name: "with a block and a comment behind it",
        before: "provider_installation {\n  direct {}\n} # x\n/* y */"
      ),
      SetupFileRow(program: .aws, name: "with the profile", before: "[profile p]\n  region=x ; mine\n\n[default]\n"),
      SetupFileRow(
        program: .aws,
        name: "with another process",
        before: "[profile p]\ncredential_process = /bin/other\n"
      ),
    ]
}

extension SetupFileRow.Program {
  /// The lines that are dropped of a comment.
  fileprivate var drops: [String] { [.kubectl, .pip].contains(self) ? ["# für später"] : [] }
}
