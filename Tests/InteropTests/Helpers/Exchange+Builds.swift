extension Exchange {
  static let bazel: [Exchange] = [
    Exchange(
      "of the account's own server",
      ["acct", "helper", "bazel", "get"],
      input: #"{"uri":"https://own.example/cache/1"}"#,
      #"{"headers":{"Authorization":["Bearer TOKEN"]}}"# + "\n"
    ),
    Exchange(
      "of the server's gRPC",
      ["acct", "helper", "bazel", "get"],
      input: #"{"uri":"grpcs://own.example"}"# + "\n",
      #"{"headers":{"Authorization":["Bearer TOKEN"]}}"# + "\n"
    ),
    Exchange(
      "of another server",
      ["acct", "helper", "bazel", "get"],
      input: #"{"uri":"https://other.example/cache/1"}"#,
      "{}\n"
    ),
    Exchange("without an address", ["acct", "helper", "bazel", "get"], input: "{}", "", status: 1),
    Exchange("of another operation", ["acct", "helper", "bazel", "put"], "", status: 64),
  ]

  static let goCommand: [Exchange] = [
    Exchange("before its first request", ["acct", "helper", "go"], ""),
    Exchange(
      "after a refusal",
      ["acct", "helper", "go", "https://own.example/notes?go-get=1"],
      input: "HTTP/1.1 401 Unauthorized\r\n\r\n",
      "https://own.example\n\nAuthorization: Bearer TOKEN\n\n"
    ),
    Exchange("after another server's refusal", ["acct", "helper", "go", "https://other.example/notes"], ""),
    Exchange("over plain http", ["acct", "helper", "go", "http://own.example/notes"], ""),
  ]

  private static func asks(cargo index: String, _ rest: String) -> String {
    #"{"v":1,"registry":{"index-url":"\#(index)","name":"notes"},\#(rest)}"# + "\n"
  }

  static let cargo: [Exchange] = [
    Exchange(
      "reading, then publishing, in one run, for the account that the user chose",
      ["cargo-credential-acct", "--cargo-plugin"],
      variables: ["ACCT_ACCOUNT": "work"],
      input: asks(cargo: "sparse+https://own.example/index/", #""kind":"get","operation":"read""#)
        + asks(
          cargo: "sparse+https://own.example/index/",
          #""kind":"get","operation":"publish","name":"a","vers":"1.0.0","cksum":"00""#
        ),
      #"{"v":[1]}"# + "\n"
        + String(
          repeating: #"{"Ok":{"kind":"get","token":"Bearer TOKEN","cache":"session","#
            + #""operation_independent":true}}"# + "\n",
          count: 2
        )
    ),
    Exchange(
      "of a server that the account has only from its sign-in",
      ["cargo-credential-acct", "--cargo-plugin"],
      input: asks(cargo: "sparse+https://own.example/index/", #""kind":"get","operation":"read""#),
      #"{"v":[1]}"# + "\n" + #"{"Err":{"kind":"not-found"}}"# + "\n"
    ),
    Exchange(
      "of an index that git fetches, for the account that the user chose",
      ["cargo-credential-acct", "--cargo-plugin"],
      variables: ["ACCT_ACCOUNT": "work"],
      input: asks(cargo: "https://own.example/index", #""kind":"get","operation":"read""#),
      #"{"v":[1]}"# + "\n"
        + #"{"Ok":{"kind":"get","token":"Bearer TOKEN","cache":"session","operation_independent":true}}"#
        + "\n"
    ),
    Exchange(
      "of an index that git fetches, for none",
      ["cargo-credential-acct", "--cargo-plugin"],
      input: asks(cargo: "https://own.example/index", #""kind":"get","operation":"read""#),
      #"{"v":[1]}"# + "\n" + #"{"Err":{"kind":"not-found"}}"# + "\n"
    ),
    Exchange(
      "of crates.io",
      ["cargo-credential-acct", "--cargo-plugin"],
      variables: ["ACCT_ACCOUNT": "work"],
      input: asks(
        cargo: "https://github.com/rust-lang/crates.io-index",
        #""kind":"get","operation":"read""#
      ),
      #"{"v":[1]}"# + "\n" + #"{"Err":{"kind":"url-not-supported"}}"# + "\n"
    ),
    Exchange(
      "of another registry",
      ["cargo-credential-acct", "--cargo-plugin"],
      input: asks(cargo: "sparse+https://other.example/", #""kind":"get","operation":"read""#),
      #"{"v":[1]}"# + "\n" + #"{"Err":{"kind":"not-found"}}"# + "\n"
    ),
    Exchange(
      "logging in",
      ["cargo-credential-acct", "--cargo-plugin"],
      input: asks(cargo: "sparse+https://own.example/", #""kind":"login""#),
      #"{"v":[1]}"# + "\n" + #"{"Err":{"kind":"operation-not-supported"}}"# + "\n"
    ),
  ]

  static let keyring: [Exchange] = [
    Exchange("pip as it was", ["keyring", "get", "https://own.example/simple/", "oauth2"], "TOKEN\n"),
    Exchange(
      "pip as it is",
      ["keyring", "--mode=creds", "--output=json", "get", "https://own.example/simple/"],
      #"{"username": "oauth2", "password": "TOKEN"}"# + "\n"
    ),
    Exchange("uv", ["keyring", "get", "https://own.example/simple/", "--mode", "creds"], "oauth2\nTOKEN\n"),
    Exchange("a host alone", ["keyring", "get", "own.example", "oauth2"], "", status: 1),
    Exchange(
      "a user that looks like an option",
      ["keyring", "get", "https://own.example/simple/", "--account=work"],
      "",
      status: 64
    ),
    Exchange("another server", ["keyring", "get", "https://other.example/", "alice"], "", status: 1),
    Exchange("storing", ["keyring", "set", "own.example", "alice"], input: "p\n", ""),
  ]
}
