import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// `acct add openai`: the provider says where its key goes, and how.
@Suite("A provider with keys")
struct KeyProviderTests {
  private let record = RecordedWorld()
  private static let key = "sk-made-up-key-of-a-test"

  /// `true` if the key stands in nothing that was printed for people.
  private var isSilent: Bool { !record.err.joined().contains("made-up") }

  @Test("A terminal is asked for the key alone, again if it is empty, and the account has the provider's name")
  func terminal() async {
    record.answer("", " ", Self.key)
    #expect(await record.acct("add", "openai") == 0, "\(record.err)")
    #expect(
      record.err == [
        "acct: a key of OpenAI is made here: https://platform.openai.com/api-keys", "acct: added openai",
        "acct: hint: `acct header https://api.openai.com/` prints the header that it is sent in",
      ]
    )
    #expect(record.prompts == ["key (not shown): ", "key (not shown): ", "key (not shown): "])
    #expect(isSilent && record.requests.isEmpty)
    #expect(await record.acct("header", "https://api.openai.com/v1/models") == 0)
    #expect(record.out == "Authorization: Bearer \(Self.key)\n")
    #expect(await record.acct("header", "https://api.anthropic.com/") == 8)
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("https://platform.openai.com/api-keys"))
    #expect(await record.acct("list", "--json") == 0)
    let account = record.json?.objectValue?["accounts"]?.arrayValue?.first?.objectValue
    #expect(account?["name"] == "openai" && account?["provider"] == "openai")
  }

  @Test("Without a terminal the key is read from a file or from standard input")
  func files() async {
    record.provide("-", "\(Self.key)\n")
    #expect(await record.acct("add", "openai", "--token", "-") == 0, "\(record.err)")
    record.secretFiles["key"] = "xi-made-up"
    #expect(await record.acct("add", "elevenlabs", "--token", "key", "--expires", "2030-01-31", "--json") == 0)
    #expect(record.err.isEmpty && record.json?.objectValue?["account"]?.objectValue?["name"] == "elevenlabs")
    #expect(await record.acct("header", "https://api.us.elevenlabs.io/v1") == 0)
    #expect(record.out == "xi-api-key: xi-made-up\n")
    #expect(await record.acct("add", "mistral") == 64)
    #expect(
      record.err == [
        "acct: Mistral AI needs a key, and no terminal can ask for it",
        "acct: hint: `acct add mistral --token FILE` reads it from a file of your own, or from standard input (-); "
          + "it is made at https://console.mistral.ai",
      ]
    )
    record.secretFiles["key"] = "\n"
    #expect(await record.acct("add", "mistral", "--token", "key") == 65)
    #expect(record.err.first == "acct: key contains no token")
    #expect(record.accountFiles == 2)
  }

  @Test("A second key asks for a name, and without a terminal needs one")
  func second() async {
    record.provide("-", Self.key)
    #expect(await record.acct("add", "openai", "--token", "-") == 0)
    #expect(await record.acct("add", "openai", "--token", "-") == 64)
    #expect(
      record.err == [
        "acct: there is an account openai already: a second one needs --name",
        "acct: hint: --name NAME adds it under another name; `acct login openai --token FILE` replaces its key",
      ]
    )
    #expect(await record.acct("add", "openai", "--token", "-", "--name", "work") == 0, "\(record.err)")
    record.answer("openai", "", "work", "play", Self.key)
    #expect(await record.acct("add", "openai") == 0, "\(record.err)")
    #expect(record.err.first == "acct: there is an account openai already; `acct login openai` replaces its key")
    #expect(record.err.contains("acct: added play"))
    #expect(record.accountFiles == 3)
    // The replacement keeps what the provider said.
    record.provide("-", "sk-made-up-other")
    #expect(await record.acct("login", "openai", "--token", "-") == 0, "\(record.err)")
    #expect(await record.acct("header", "-a", "openai", "https://api.openai.com/") == 0)
    #expect(record.out == "Authorization: Bearer sk-made-up-other\n")
    #expect(await record.acct("status", "openai", "--json") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["provider"] == "openai")
  }

  @Test("A pasted variable is asked about on a terminal, and taken without one if it is the provider's")
  func variable() async {
    record.answer("export OPENAI_API_KEY=\"\(Self.key)\"", "")
    #expect(await record.acct("add", "openai") == 0, "\(record.err)")
    #expect(record.prompts.last == "keep what is behind `=`? [Y/n] ")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "\(Self.key)\n")
    record.answer("NAME=made-up", "n")
    #expect(await record.acct("add", "mistral") == 0, "\(record.err)")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "NAME=made-up\n")
    record.provide("-", "HF_TOKEN='hf_made-up'\n")
    #expect(await record.acct("add", "huggingface", "--token", "-") == 0, "\(record.err)")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "hf_made-up\n")
    record.provide("-", "OTHER=made-up\n")
    #expect(await record.acct("add", "groq", "--token", "-") == 64)
    #expect(record.err.first == "acct: the key has the form NAME=value, as in a file of settings")
    #expect(isSilent && record.accountFiles == 3)
  }

  @Test("A key that begins as another provider's do is questioned, and refused without a terminal")
  func foreign() async {
    record.provide("-", "sk-ant-made-up")
    #expect(await record.acct("add", "openai", "--token", "-") == 64)
    #expect(
      record.err == [
        "acct: this looks like a key of Anthropic, and not of OpenAI",
        "acct: hint: `acct add anthropic --token FILE` adds it there; for OpenAI all the same, a terminal asks",
      ]
    )
    #expect(await record.acct("add", "anthropic", "--token", "-") == 0, "\(record.err)")
    record.answer("sk-ant-made-up", "n", "sk-ant-made-up", "y")
    #expect(await record.acct("add", "openai") == 0, "\(record.err)")
    #expect(record.prompts.contains("this looks like a key of Anthropic; keep it for OpenAI? [y/N] "))
    record.answer("sk-ant-made-up", "")
    #expect(await record.acct("add", "groq", "--token", "-") == 3)
    #expect(isSilent && record.accountFiles == 2)
  }

  @Test(
    "What a provider says itself, and the options of a sign-in, are refused",
    arguments: [
      ["add", "openai", "--token", "-", "--header", "X-Key"], ["add", "openai", "--token", "-", "--scheme", "Token"],
      ["add", "openai", "--token", "-", "--basic", "api"], ["add", "openai", "--header", "X-Key"],
      ["add", "openai", "--scope", "read"], ["add", "openai", "--client-id", "a"], ["add", "openai", "--device"],
      ["add", "openai", "--param", "a=b"], ["add", "openai", "--key", "tpm"],
      ["add", "openai", "--token", "-", "--device"],
      ["add", "openai:host.example", "--token", "-"],
      ["add", "openai", "--token", "-", "--issuer", "https://a.example"],
      ["add", "github", "--token", "-"], ["add", "grafana", "--token", "-"], ["add", "alice.example", "--token", "-"],
      ["providers", "--keys", "openai"],
    ]
  )
  func refused(_ arguments: [String]) async {
    record.provide("-", Self.key)
    #expect(await record.run(arguments) == 64, "\(record.err)")
    #expect(isSilent && record.accountFiles == 0 && record.requests.isEmpty)
  }

  @Test("A token for a provider with a sign-in is led to the one that takes it")
  func noKey() async {
    record.provide("-", "ghp_made-up")
    #expect(await record.acct("add", "github", "--token", "-") == 64)
    #expect(
      record.err == [
        "acct: GitHub has a sign-in: --token and --expires are for a key",
        "acct: hint: `acct add github-token --token FILE` adds a token of it",
      ]
    )
    #expect(await record.acct("add", "github-token", "--token", "-") == 0, "\(record.err)")
    #expect(await record.acct("add", "spotify", "--token", "-") == 64)
    #expect(
      record.err.last == "acct: hint: a token that you have is added without a provider, by --token and --allow-origin"
    )
  }

  @Test("The host of a server of one's own is typed behind the name, or asked for")
  func host() async {
    record.provide("-", "glsa_made-up")
    #expect(await record.acct("add", "grafana:grafana.example", "--token", "-") == 0, "\(record.err)")
    #expect(record.err.first == "acct: added grafana@grafana.example")
    record.answer("stats.example", "glsa_made-up")
    #expect(await record.acct("add", "grafana") == 0, "\(record.err)")
    #expect(record.err.contains("acct: added grafana@stats.example"))
    record.answer("glpat-made-up")
    #expect(await record.acct("add", "gitlab-token") == 0, "\(record.err)")
    #expect(await record.acct("header", "https://gitlab.com/api/v4/user") == 0)
    record.answer("glpat-made-up")
    #expect(await record.acct("add", "gitlab-token:git.example", "--allow-origin", "https://more.example") == 0)
    #expect(record.err.first?.contains("https://git.example/-/user_settings/personal_access_tokens") == true)
    for url in ["https://git.example/", "https://more.example/"] { #expect(await record.acct("header", url) == 0) }
    #expect(await record.acct("header", "-a", "gitlab-token@git.example", "https://gitlab.com/") == 8)
  }

  @Test("The questions of `acct add` take a provider's name at both places, and the last line asks for nothing")
  func guided() async {
    record.answer("openai", Self.key)
    #expect(await record.acct("add") == 0, "\(record.err)")
    #expect(record.err.last == "acct: without questions: `acct add openai --token FILE`")
    record.answer("key", "mistral", "made-up")
    #expect(await record.acct("add") == 0, "\(record.err)")
    #expect(record.err.last == "acct: without questions: `acct add mistral --token FILE`")
    #expect(isSilent && record.accountFiles == 2)
  }

  @Test("An administrator's file adds a provider, and takes the place of acct's own")
  func ownFile() async {
    record.providerFiles["acme"] = """
      {"kind":"key","title":"Acme","origins":["https://api.acme.example"],"send":{"header":"X-Acme","prefix":"Key "},
       "prefixes":["ak-"],"environment":["ACME_KEY"]}
      """
    record.provide("-", "ak-made-up")
    #expect(await record.acct("add", "openai", "--token", "-") == 64)
    #expect(record.err.first == "acct: this looks like a key of Acme, and not of OpenAI")
    #expect(await record.acct("add", "acme", "--token", "-") == 0, "\(record.err)")
    #expect(await record.acct("header", "https://api.acme.example/") == 0)
    #expect(record.out == "X-Acme: Key ak-made-up\n")
    #expect(await record.acct("providers", "--keys") == 0)
    #expect(record.out.contains("acme") && record.out.contains("ACME_KEY"))
    record.providerFiles["openai"] = #"{"kind":"key","origins":["https://ai.acme.example"],"send":"bearer"}"#
    record.provide("-", Self.key)
    #expect(await record.acct("add", "openai", "--token", "-") == 0, "\(record.err)")
    #expect(await record.acct("header", "https://ai.acme.example/") == 0)
    record.providerFiles["acme"] = #"{"kind":"key","origins":["https://api.acme.example"]}"#
    #expect(await record.acct("add", "acme", "--token", "-", "--name", "b") == 65)
    #expect(record.err.first == "acct: /config/acme.json can't be used: there is no send")
  }

  @Test("The list of keys has name, title, origin and variable, and the other list leads to it")
  func list() async {
    #expect(await record.acct("providers", "--keys") == 0)
    let lines = record.out.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines.first == ["PROVIDER", "SERVICE", "ORIGIN", "VARIABLE"])
    #expect(lines.contains(["openai", "OpenAI", "https://api.openai.com", "OPENAI_API_KEY"]))
    #expect(lines.contains(["gitlab-token[:HOST]", "GitLab", "https://gitlab.com", "GITLAB_TOKEN"]))
    #expect(lines.contains(["datadog:HOST", "Datadog", "https://{host}", "-"]))
    #expect(!record.out.contains("Spotify"))
    #expect(await record.acct("providers", "--keys", "--json") == 0)
    let all = record.json?.objectValue?["providers"]?.arrayValue
    #expect(all?.count == lines.count - 1)
    #expect(all?.first?.objectValue?["data"]?.objectValue?["kind"] == "key")
    #expect(await record.acct("providers") == 0)
    #expect(!record.out.contains("openai"))
    #expect(record.err == ["acct: `acct providers --keys` lists those whose accounts have an API key"])
    #expect(await record.acct("providers", "openai") == 0)
    #expect(record.out.contains("OPENAI_API_KEY") && !record.out.contains("comment"))
    #expect(await record.acct("complete", "providers") == 0)
    #expect(record.out.contains("openai\tOpenAI\n") && record.out.contains("github\tGitHub\n"))
  }
}
