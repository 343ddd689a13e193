import Secrets
import AcctTestSupport

/// A token that has no sign-in, in each form that it can have on a line.
extension LeakStage {
  func staticTokens() -> [LeakRow] {
    let url = "\(guests.origin)/api"
    let add = ["--allow-origin", guests.origin, "--no-switch", "-v", "--token"]
    let shown = ["static_token": ["stdout"]]
    return [
      LeakRow("add", add + [tokenFile, "--name", "key", "--header", "X-API-Key"]),
      LeakRow("add", add + ["-", "--name", "user", "--basic", "alice"], input: Self.staticToken),
      LeakRow("status", ["key", "--check", "--json", "-v"]),
      LeakRow("add", add + [tokenFile, "--name", "query", "--query", "appid"]),
      LeakRow("header", ["-a", "query", url, "--format", "curl", "-v"], shows: shown),
      LeakRow("header", ["-a", "query", url, "-v"], status: 64),
      LeakRow("header", ["-a", "key", url, "-v"], shows: shown),
      LeakRow("header", ["-a", "user", url, "--json", "-v"], shows: shown),
      LeakRow("token", ["-a", "user", "-v"], shows: shown),
      // The server knows no such token.
      LeakRow("request", ["-a", "key", url, "-i", "-v"], status: 4),
      LeakRow("request", ["-a", "user", url, "--json", "-v"], status: 4),
      LeakRow("request", ["-a", "query", url, "-i", "-v"], status: 4),
      LeakRow("refresh", ["key", "--force", "-v"], status: 4),
      // One 401 ends nothing.
      LeakRow("token", ["-a", "user", "-v"], shows: shown),
      LeakRow("login", ["key", "--token", tokenFile, "-v"]),
      LeakRow("login", ["user", "--token", "-", "-v"], input: Self.staticToken),
      LeakRow(
        "exec",
        ["-a", "key", "-v", "--", "true"],
        shows: ["static_token": ["call execve"]],
        keeps: ["static_token"]
      ),
      LeakRow("export", ["key", "--passphrase-file", passphraseFile, "-v"]),
      LeakRow("helper", ["git", "get", "-a", "user", "-v"], input: "url=\(url)\n", shows: shown),
      LeakRow("helper", ["git", "erase", "-v"], input: "url=\(url)\npassword=\(Self.staticToken)\n"),
      LeakRow(
        "helper",
        ["docker", "store", "-a", "kept", "-v"],
        input: """
          {"ServerURL":"\(guests.origin)","Username":"bob","Secret":"\(Self.staticToken)"}
          """
      ),
      LeakRow("helper", ["docker", "get", "-a", "kept", "-v"], input: guests.origin, shows: shown),
      LeakRow("helper", ["docker", "erase", "-a", "kept", "-v"], input: guests.origin),
      LeakRow(
        "helper",
        ["docker", "store", "-v"],
        input: """
          {"ServerURL":"nowhere@example","Username":"bob","Secret":"\(Self.staticToken)"}
          """,
        status: 1
      ),
      LeakRow("add", add + [wrongTokenFile, "--json"], status: 65),
    ] + fromPrograms() + fromEnv() + [
      LeakRow("proxy", ["--all", "--json", "-v"], status: 5),
      LeakRow("remove", ["key", "-v"]), LeakRow("remove", ["user", "-v"]), LeakRow("remove", ["query", "-v"]),
    ]
  }

  /// The same token in a `.env` file, which a reference then takes the place of.
  private func fromEnv() -> [LeakRow] {
    let from = ["-v", "--no-switch", "--from", "env"]
    let handedOver = ["static_token": ["call execve"]]
    return [
      LeakRow("add", from + [envFile, "--dry-run"]), LeakRow("add", from + [envFile]),
      LeakRow("add", from + [envFile, "--rewrite"], status: 64),
      LeakRow("add", from + [envFile, "--rewrite", "--yes", "--json"]),
      LeakRow("add", from + [envFile, "--undo", "--dry-run"]),
      LeakRow(
        "exec",
        ["--env-file", envFile, "--env", "KEY=mistral", "-v", "--", "true"],
        shows: handedOver,
        keeps: ["static_token"]
      ),
      LeakRow(
        "exec",
        ["--env-file", "-", "-v", "--", "true"],
        input: "A=acct://mistral/header\nB=\"\(Self.staticToken)\"\n",
        shows: handedOver,
        keeps: ["static_token"]
      ),
      LeakRow("exec", ["--env-file", wrongTokenFile, "-v", "--", "true"], status: 65),
      LeakRow("add", from + [wrongTokenFile, "--json"], status: 65),
      LeakRow("remove", ["mistral", "-v"]),
    ]
  }

  /// The same token as a login of other programs.
  private func fromPrograms() -> [LeakRow] {
    let from = ["-v", "--no-switch", "--from"]
    let shown = ["static_token": ["stdout"]]
    return [
      LeakRow("add", from + ["git", gitFile, "--dry-run"]), LeakRow("add", from + ["git", gitFile, "--name", "git"]),
      LeakRow("token", ["-a", "git"], shows: shown),
      LeakRow("add", from + ["netrc", netrcFile, "--json"]),
      LeakRow("add", from + ["docker", dockerFile]),
      // Its quote does not end, its program is not there, and the file is no export.
      LeakRow("add", from + ["netrc", wrongTokenFile, "--json"], status: 1),
      LeakRow("add", from + ["docker", gitFile], status: 65),
      LeakRow("add", ["--import", gitFile, "-v"], status: 65),
      LeakRow("remove", ["git"]), LeakRow("remove", ["alice@elsewhere.example"]),
      LeakRow("remove", ["carol@elsewhere.example"]),
    ]
  }
}
