import AcctTestSupport
import Testing

/// `Examples/prompt.sh` and `prompt.fish`: the account that acts here, in a shell's prompt.
@Suite("The recipe for a prompt")
struct RecipePromptTests {
  /// Each shell's own way of showing a prompt.
  private static let shells = [
    "bash": ["--noprofile", "--norc", "-c", #". "$0/prompt.sh"; PS1='$(acct_prompt)'; echo "[${PS1@P}]""#],
    "zsh": ["-fc", #". "$0/prompt.sh"; setopt PROMPT_SUBST; PS1='$(acct_prompt)'; print -P "[$PS1]""#],
    "fish": ["--no-config", "-c", #"source $argv[1]/prompt.fish; echo "["(acct_prompt)"]""#],
  ]

  private func prompt(
    _ shell: String,
    _ home: AcctHome,
    _ variables: [String: String] = ["ACCT_PROMPT_SECONDS": "60"]
  ) async throws -> String {
    let arguments = (Self.shells[shell] ?? []) + [Product.source("Examples")]
    let folder = try TemporaryFolder()
    let output = try await home.recipe(shell, arguments, with: ["HOME": folder.path].merging(variables) { $1 }).run()
    #expect(output.errorText.isEmpty)
    return output.text
  }

  @Test(
    "The shell prompt names the account, marks a broken one and is empty without one",
    arguments: ["bash", "zsh", "fish"]
  )
  func states(_ shell: String) async throws {
    let home = try AcctHome()
    // fish makes no line of nothing.
    #expect(["[]\n", "[ ]\n", "\n"].contains(try await prompt(shell, home)))
    // What zsh would take for its own: the exit status.
    try await home.addBearer("50%?$HOME", at: "https://notes.example")
    #expect(try await prompt(shell, home) == "[50%?$HOME ]\n")
    let expired = #"{"access_token": "a", "expires_at": 1, "origins": ["https://notes.example"]}"#
    let added = try await home.acct("add", "--import", "-", "--name", "old", input: expired)
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await prompt(shell, home) == "[old! ]\n")
  }

  @Test("The shell prompt does not wait for a keyring that does not answer", arguments: ["bash", "zsh", "fish"])
  func hangs(_ shell: String) async throws {
    let keyring = try GnomeKeyring()
    let home = try AcctHome(in: keyring)
    try await home.addBearer("alice", at: "https://notes.example")
    #expect(try await prompt(shell, home) == "[alice ]\n")
    keyring.freeze()
    // acct itself would wait for seconds, and then say that the account does not work.
    #expect(["[]\n", "\n"].contains(try await prompt(shell, home, [:])))
    keyring.thaw()
  }
}
