import AcctTestSupport

/// A user's shell start files, an `acct` on `PATH` that notes what it is run with, and accounts.
struct CommandQueue {
  private let folder: TemporaryFolder
  private let home: AcctHome
  private let environment: [String: String]

  /// Makes a desk with accounts of these names, each with an origin of its own, `https://aN.example`.
  init(accounts: [String]) async throws {
    folder = try TemporaryFolder()
    home = try AcctHome()
    for (number, name) in accounts.enumerated() {
      let added = try await home.acct(
        "add",
        "--import",
        "-",
        "--name",
        name,
        input: """
          {"access_token": "made-up", "token_type": "Bearer", "did": "did:plc:a\(number)",
           "origins": ["https://a\(number).example"]}
          """
      )
      guard added.status == 0 else { throw ProcessFailure.notReady(program: "acct", output: added.errorText) }
    }
    let bin = try folder.folder("bin")
    // Completion asks the real one; what a line runs is only noted.
    let noting = try folder.file(
      "bin/acct",
      containing: """
        #!/bin/sh
        [ "$1" = complete ] && exec '\(Product.executable("acct"))' "$@"
        { for word; do printf '[%s]' "$word"; done; echo; } >>'\(folder.path)/runs'

        """
    )
    _ = try await ChildProcess("chmod", ["+x", noting]).run()
    _ = try folder.file(".bashrc", containing: Self.bash(folder.path))
    _ = try folder.file(".zshrc", containing: Self.zsh(folder.path))
    let plain = home.command([]).environment
    environment = plain.merging([
      "PATH": "\(bin):\(plain["PATH"] ?? "")", "HOME": folder.path, "ZDOTDIR": folder.path,
      "TERM": "dumb",
    ]) { $1 }
  }

  /// Whether a command that is an account's name was run, and made the file that it would make.
  func wasTricked() async throws -> Bool {
    try await ChildProcess("test", ["-e", "\(folder.path)/tricked"]).run().status == 0
  }

  /// The shell, with its start files read.
  func interactive(_ shell: Shell) throws -> ChildProcess {
    _ = try folder.file("offers", containing: "")
    _ = try folder.file("runs", containing: "")
    let line =
      switch shell {
      case .bash: ["bash", "--rcfile", "\(folder.path)/.bashrc", "-i"]
      case .zsh: ["zsh", "-i"]
      case .fish: ["fish", "--no-config", "-C", "source \(Self.quoted(Self.fish))", "-i"]
      }
    return ChildProcess(line[0], Array(line.dropFirst()), environment: environment, workingDirectory: folder.path)
  }

  /// The lines that were noted in a file, as their words.
  func notes(_ name: String) async throws -> [[String]] {
    Self.lines(try await ChildProcess("cat", ["\(folder.path)/\(name)"]).run().text)
  }

  /// What fish offers for each line; fish has a command that says so.
  func fishOffers(_ lines: [String]) async throws -> [[String]] {
    let script = lines.reduce(into: "source \(Self.quoted(Self.fish))\n") { script, line in
      script += "set offered (complete -C \(Self.quoted(line)) | string split -f 1 \\t); "
      script += "string join \\t -- $offered \"\"\n"
    }
    let fish = ChildProcess("fish", ["--no-config", "-c", script], environment: environment)
    return Self.lines(try await fish.run().text).map { $0.sorted() }
  }

  private static func lines(_ text: String) -> [[String]] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map { $0.split(separator: "\t").map(String.init) }
  }

  private static let fish = Product.source("completions/acct.fish")

  /// In single quotes, as fish reads them.
  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }

  private static func bash(_ folder: String) -> String {
    """
    source '\(Product.source("completions/acct.bash"))'
    # An account may be called !$; so history is off.
    set +o history
    noted() {
      _acct "$@"
      (IFS=$'\\t'; printf '%s\\n' "${COMPREPLY[*]}") >>'\(folder)/offers'
    }
    complete -F noted acct

    """
  }

  private static func zsh(_ folder: String) -> String {
    """
    setopt no_beep no_auto_list
    fpath=('\(Product.source("completions"))' $fpath)
    autoload -Uz compinit && compinit -u -D
    # Every candidate goes through this builtin.
    compadd() {
      if [[ "${@[1,(i)(-|--)]}" != *-(O|A|D)\\ * ]]; then
        local -a found
        builtin compadd -O found "$@"
        offered+=($found)
      fi
      builtin compadd "$@"
    }
    noted() {
      local -a offered
      _acct "$@"
      local status_=$?
      print -r -- ${(pj:\\t:)offered} >>'\(folder)/offers'
      return status_
    }
    compdef noted acct

    """
  }
}
