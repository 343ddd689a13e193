import AcctTestSupport

/// Files of other programs, with whatever their formats allow; the same in every run.
struct MadeUpFiles {
  private var numbers: RepeatableNumbers

  init(seed: UInt64) { numbers = RepeatableNumbers(seed: seed) }

  private mutating func one<Value>(of values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &numbers)]
  }
  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }
  private mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

  static let hosts = ["a.example", "b.example", "c.example"]

  /// A `.netrc`: entries, with words between them that mean nothing.
  mutating func netrc() -> String {
    var text = chance(10) ? "macdef init\nmachine a.example login no password no\n\n" : ""
    for _ in 0..<count(1...6) {
      if chance(10) { text += one(of: ["# machine a.example login x password y\n", "\n", "x\n", "\r\n", " #\n"]) }
      if chance(3) { text += String(repeating: "#", count: 4000 + count(0...200)) + "\n" }
      var words =
        chance(5) ? [one(of: ["default", "DEFAULT"])] : [one(of: ["machine", "Machine"]), one(of: Self.hosts)]
      if chance(5) { words[words.count - 1] = words[words.count - 1].uppercased() }
      for keyword in ["login", "password", "account", "PASSWORD"].shuffled(using: &numbers).prefix(count(1...4)) {
        words.append(keyword)
        words.append(
          one(of: [
            "x", "y", "z", "p#1", "#c", "\"q r\"", "\"a\\\"b\\\\c\"", "\"#h\"", "\"\"", "a\\b", "p:q", "\"t\\tu\"", "ü",
            "\"x\"y",
          ])
        )
      }
      for word in words { text += word + one(of: Self.spaces) }
      if chance(3) { text += "machine a.example login \"open\n" }
      text += "\n"
    }
    return text
  }

  private static let spaces =
    [String](repeating: " ", count: 12)
    + ["\n", "\n", "\n  ", "\t", "\r\n", " \n", "\n\n", "\u{C}", " # comment\n", "\n# comment\n"]

  /// A file of git-credential-store.
  mutating func gitCredentials() -> String {
    var text = ""
    for _ in 0..<count(1...7) {
      let scheme = one(of: ["https", "https", "https", "http", "ssh", " https"])
      let user = one(of: ["alice", "bob", "al%40ice", "x-access-token", "", "%zz", "ghp_made-up-made-up-1", "a%3Ab"])
      let password = one(of: [":one", ":two", ":p%3Aq%2F", ":x-oauth-basic", ":", "", ":%4", ":%00", ":%C3%BC", ":a:b"])
      let host = one(of: Self.hosts + ["a.example:8443", "[::1]", "[::1]:8443"])
      let path = one(of: ["", "", "/", "/north/map.git", "/south/map.git/", "//x", "/a%20b", "?q", "#f"])
      let end = one(of: ["\n", "\n", "\n", "\n", "\r\n"])
      text += "\(scheme)://\(user)\(password)@\(host)\(path)\(end)"
      if chance(10) { text += one(of: ["\n", "# comment\n", "nonsense\n", "https://a.example\n"]) }
    }
    return text
  }

  /// docker's `config.json`, for registries and parts of them at one host.
  mutating func dockerConfig(_ host: String) -> String {
    let names = ["", "/team-a", "/team-a/x", "/team-b"].map { host + $0 } + ["https://\(host)/v1/", "http://\(host)"]
    let entries = names.shuffled(using: &numbers).prefix(count(1...4)).map { name in
      let login = one(of: [
        "alice:one", "bob:two", "al@ice:p:q", "carol:ü", "dave:\u{0}six\u{0}", ":alone", "eve", "f:",
      ])
      let auth = base64(login)
      let other = chance(10) ? ", \"email\": \"x@y.example\"" : ""
      return "\"\(name)\": {\"auth\": \"\(auth)\"\(other)}"
    }
    return "{\"auths\":{\(entries.joined(separator: one(of: [",", ",\n  "])))}}"
  }

  /// cargo's `config.toml` and `credentials.toml`, for the registries a and b at a server.
  mutating func cargo(_ server: String) -> (settings: String, credentials: String) {
    var (settings, credentials) = ("", "")
    // Before the first table, dotted keys begin at the root.
    for name in ["a", "b"].shuffled(using: &numbers) {
      let (index, token) = ("sparse+\(server)/\(name)/", one(of: ["made-up", "x y", "Bearer z", "q\\\\r", "u\\u0041"]))
      switch count(0...3) {
      case 0: settings += "registries.\(name).index = \"\(index)\"\n"
      case 1: settings += "registries.\"\(name)\" = { index = '\(index)' } # comment\n"
      case 2: settings += "registries . \(name) = {index=\"\(index)\", other = [1, {x = 'y'}]}\r\n"
      default: break
      }
      switch count(0...6) {
      case 0: credentials += "registries.\(name).token = \"\(token)\"\n"
      case 1: credentials += "registries.\(name) = { token = \"\(token)\" }\n"
      case 2: credentials += "[registries.\(name)]\r\ntoken = \"\(token)\" # comment\r\n"
      case 3: credentials += "[ registries . '\(name)' ]\n\"token\"=\"\"\"\n\(token)\"\"\"\n"
      case 4: credentials += "[registries.\(name)]\ntoken = '''x'y\\z'''\n[[list]]\ntoken = \"no\"\n"
      case 5: credentials += "[registries.\(name)]\ntoken = \"open\n"
      default: credentials += "# nothing\n"
      }
    }
    return (settings + "[net]\nretry = 0\n", credentials)
  }
}
