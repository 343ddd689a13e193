extension Exchange {
  static let git: [Exchange] = [
    Exchange(
      "get with the capability",
      ["git-credential-acct", "get"],
      input: """
        capability[]=authtype
        capability[]=state
        protocol=https
        host=own.example
        wwwauth[]=Bearer realm="notes"


        """,
      "capability[]=authtype\nauthtype=Bearer\ncredential=TOKEN\nephemeral=1\n"
    ),
    Exchange(
      "get at a server that asks for Basic",
      ["git-credential-acct", "get"],
      input: """
        capability[]=authtype
        protocol=https
        host=own.example
        wwwauth[]=Basic realm="notes"


        """,
      "username=oauth2\npassword=TOKEN\n"
    ),
    Exchange(
      "get for another server",
      ["git-credential-acct", "get"],
      input: "capability[]=authtype\nprotocol=https\nhost=other.example\n\n",
      ""
    ),
    Exchange(
      "store of another helper's",
      ["git-credential-acct", "store"],
      input: "protocol=https\nhost=own.example\nusername=u\npassword=p\n\n",
      ""
    ),
  ]

  private static func asks(_ server: String) -> [String: String] {
    let info = #"""
      {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":
      {"cluster":{"server":"\#(server)","config":null},"interactive":false}}
      """#
    return ["KUBERNETES_EXEC_INFO": info]
  }

  static let kubectl: [Exchange] = [
    Exchange(
      "of the account's own cluster",
      ["acct", "helper", "kubectl"],
      variables: asks("https://own.example"),
      #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","#
        + #""status":{"token":"TOKEN"}}"# + "\n"
    ),
    Exchange(
      "of another cluster",
      ["acct", "helper", "kubectl"],
      variables: asks("https://own.example:6443"),
      "",
      status: 1
    ),
    Exchange(
      "of a cluster whose address is malformed",
      ["acct", "helper", "kubectl"],
      variables: asks("https://own.example@other.example"),
      "",
      status: 1
    ),
    Exchange(
      "in JSON that is cut off",
      ["acct", "helper", "kubectl"],
      variables: ["KUBERNETES_EXEC_INFO": "{"],
      "",
      status: 1
    ),
  ]
}
