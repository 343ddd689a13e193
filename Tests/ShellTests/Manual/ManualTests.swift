import AcctCLI
import AcctConsole
import AcctEngine
import AcctTestSupport
import Testing

@Suite("The manual") struct ManualTests {
  @Test("The page acct(1) lists the existing commands and no others")
  func commands() async throws {
    let listed = Set(try await ManualPage("acct.1").commands.keys).subtracting([["help"]])
    let real = Set(try await Tool.built().commands.filter { !$0.hasCommands }.map(\.path))
    for path in real.subtracting(listed) {
      Issue.record("man/acct.1 does not say what `acct \(path.joined(separator: " "))` does")
    }
    for path in listed.subtracting(real) {
      Issue.record("man/acct.1 lists `acct \(path.joined(separator: " "))`, which is not there")
    }
  }

  @Test("The manual explains the options of each command and no others")
  func options() async throws {
    let tool = try await Tool.built()
    let main = try await ManualPage("acct.1")
    let pages = try await ManualPage.all()
    // `list` has none of its own.
    let shared = try #require(tool.commands.first { $0.path == ["list"] }).options
    compare(main.options, shared, "man/acct.1, OPTIONS")
    for command in tool.commands where !command.hasCommands {
      let own = command.options.filter { !shared.contains($0) }
      let places = pages.filter { !explained(command.path, by: $0, of: tool).isEmpty }
      compare(
        places.flatMap { explained(command.path, by: $0, of: tool) },
        own,
        "man/\((places.first ?? main).name), `acct \(command.path.joined(separator: " "))`"
      )
    }
  }

  /// The options of a command that a page explains: below the command, where it lists several, or as its own if the
  /// page is of that command, or of a part of it, such as `acct-add-oauth.1`.
  private func explained(_ path: [String], by page: ManualPage, of tool: Tool) -> [ManualPage.Option] {
    let isOfPart = page.path.starts(with: path) && !tool.commands.contains { $0.path == page.path }
    return (page.commands[path] ?? []) + (page.path == path || isOfPart ? page.options : [])
  }

  private func compare(_ listed: [ManualPage.Option], _ real: [Tool.Option], _ place: String) {
    for option in real {
      let name = option.names.joined(separator: ", ")
      guard let entry = listed.first(where: { Set($0.names) == Set(option.names) }) else {
        Issue.record("\(place) does not explain \(name)")
        continue
      }
      #expect(entry.takesValue == option.takesValue, "\(place): whether \(name) takes a value")
      let times = listed.count { Set($0.names) == Set(option.names) }
      #expect(times == 1, "\(place): \(name) is explained in \(times) places")
    }
    for option in listed where !real.contains(where: { Set($0.names) == Set(option.names) }) {
      Issue.record("\(place) explains \(option.names.joined(separator: ", ")), which is not there")
    }
  }

  @Test("Every command's page is of an existing command or a part of one, and acct(1) refers to it")
  func pages() async throws {
    let tool = try await Tool.built()
    let main = try await ChildProcess("cat", [Product.source("man/acct.1")]).run().text
    for page in try await ManualPage.all() where page.name != "acct.1" {
      let (name, section) = (page.name.dropLast(2), page.name.suffix(1))
      #expect(main.contains(".Xr \(name) \(section)"), "man/acct.1 does not refer to \(page.name)")
      guard section == "1" else { continue }
      #expect(tool.commands.contains { page.path.starts(with: $0.path) }, "man/\(page.name) is of no command")
    }
  }

  @Test("A page has at most 2,300 words, one of acct-add 2,000, and its lines fit a terminal of 80 columns")
  func length() async throws {
    for page in try await ManualPage.all() {
      let text = try await page.shown(columns: 80)
      let words = text.split { $0.isWhitespace }.count
      let most = page.path.first == "add" ? 2000 : 2300
      #expect(words > 50 && words <= most, "man/\(page.name) has \(words) words, and may have \(most)")
      // man fills text up to column 78; only what is shown as it stands, such as an example, is wider.
      for line in text.split(separator: "\n") where line.count > 78 {
        Issue.record("man/\(page.name) has a line of \(line.count) columns: \(line)")
      }
      for display in page.displays where !text.contains(display) {
        Issue.record("man/\(page.name) has a display that does not fit a line: \(display)")
      }
    }
  }

  @Test("The page acct(1) lists the existing exit statuses")
  func statuses() async throws {
    let listed = try await ManualPage("acct.1").items(of: "EXIT STATUS").map { $0.joined() }
    #expect(listed == ExitStatus.allCases.map { String($0.rawValue) })
  }

  @Test("The page acct(1) explains the variables of the contract and all that the sources read")
  func variables() async throws {
    let listed = try await ManualPage("acct.1").variables
    let contract = [
      "ACCT_ACCOUNT", "ACCT_CREDENTIALS", "ACCT_KEYRING", "ACCT_HOME", "ACCT_VAULT_PASSPHRASE_FILE", "ACCT_PLC_URL",
      "ACCT_DNS_SERVER",
      "BROWSER", "NO_COLOR", "TERM", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "COLUMNS",
      "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",
      "CREDENTIALS_DIRECTORY", "TMPDIR", "GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE", "GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE",
      "GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE", "GOOGLE_EXTERNAL_ACCOUNT_REVOKE",
      "ACCT_EXPORT_PASSPHRASE_FILE", "KUBERNETES_EXEC_INFO", "ACCT_VAULT_KEY_FILE", "ACCT_ETCD_ENDPOINTS",
      "ACCT_ETCD_CERT", "ACCT_ETCD_KEY", "ACCT_ETCD_CA", "ACCT_ETCD_USER", "ACCT_ETCD_PASSWORD_FILE", "ACCT_ETCD_NAME",
      "ACCT_POSTGRES", "ACCT_POSTGRES_PASSWORD_FILE", "ACCT_POSTGRES_NAME", "ACCT_TPM", "ACCT_KEY_PIN_FILE",
      "GH_CONFIG_DIR", "GLAB_CONFIG_DIR", "NETRC", "DOCKER_CONFIG", "CARGO_HOME", "OIDC_CONFIG_DIR",
      "GIT_CONFIG_GLOBAL", "KUBECONFIG", "GOENV", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_STS",
      "AWS_CONFIG_FILE", "TF_CLI_CONFIG_FILE", "REGISTRY_AUTH_FILE", "AWS_SHARED_CREDENTIALS_FILE",
    ]
    #expect(Set(contract).symmetricDifference(listed) == [])
    #expect(Set(listed).count == listed.count, "one is explained twice")

    // What belongs to the session rather than to acct.
    let environment = [
      "HOME", "PATH", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SSH_CONNECTION", "XDG_CURRENT_DESKTOP",
      "XDG_SESSION_TYPE",
    ]
    let read = try await ChildProcess(
      "grep",
      ["-rhoE", #"variable\("[A-Z_]+"\)"#, Product.source("Sources")]
    ).run().text.split(separator: "\n").map { String($0.split(separator: "\"")[1]) }
    #expect(read.contains("ACCT_HOME"), "this test no longer sees what the sources read")
    for name in Set(read).subtracting(listed + environment) {
      Issue.record("man/acct.1 does not explain \(name), which the sources read")
    }
  }
}
