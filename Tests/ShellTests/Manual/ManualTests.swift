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
      // A command with a page of its own is explained there; so are those that it holds.
      let page = pages.first { $0.name == "acct-\(command.path.joined(separator: "-")).1" }
      let parents = pages.first { $0.name == "acct-\(command.path[0]).1" }
      compare(
        page?.options ?? parents?.commands[command.path] ?? main.commands[command.path] ?? [],
        own,
        "man/\((page ?? parents ?? main).name), `acct \(command.path.joined(separator: " "))`"
      )
    }
  }

  private func compare(_ listed: [ManualPage.Option], _ real: [Tool.Option], _ place: String) {
    for option in real {
      let name = option.names.joined(separator: ", ")
      guard let entry = listed.first(where: { Set($0.names) == Set(option.names) }) else {
        Issue.record("\(place) does not explain \(name)")
        continue
      }
      #expect(entry.takesValue == option.takesValue, "\(place): whether \(name) takes a value")
    }
    for option in listed where !real.contains(where: { Set($0.names) == Set(option.names) }) {
      Issue.record("\(place) explains \(option.names.joined(separator: ", ")), which is not there")
    }
  }

  @Test("Every command's page is of an existing command, and acct(1) refers to it")
  func pages() async throws {
    let tool = try await Tool.built()
    let main = try await ChildProcess("cat", [Product.source("man/acct.1")]).run().text
    for page in try await ManualPage.all() where page.name != "acct.1" {
      let (name, section) = (page.name.dropLast(2), page.name.suffix(1))
      #expect(main.contains(".Xr \(name) \(section)"), "man/acct.1 does not refer to \(page.name)")
      guard section == "1" else { continue }
      let path = name.split(separator: "-").dropFirst().map(String.init)
      #expect(tool.commands.contains { $0.path == path }, "man/\(page.name) is of no command")
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
    let environment = ["HOME", "PATH", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"]
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
