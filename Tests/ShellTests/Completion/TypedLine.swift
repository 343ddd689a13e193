/// A line that a user types, with Tab keys in it, and its required result in every shell.
struct TypedLine {
  var keys: String
  /// What `acct` is then run with.
  var runs: String

  /// The accounts that there are.
  ///
  /// None of their names may be taken for anything else.
  static let accounts = [
    "alice", "alice.$(touch${IFS}tricked)", "o'neil", "did:plc:abc", "did:plc:abd", "me@x.example", "me@y.example",
    "~root", "\"quoted\"", "back\\slash", "a&b;c|d", "mü", "#hash", "`id`", "!$", "*",
  ]

  static let all = [
    TypedLine("acct sw\t", "[switch]"),
    TypedLine("acct key th\t", "[key][thumbprint]"),
    TypedLine("acct help vau\tunl\t", "[help][vault][unlock]"),
    TypedLine("acct status --ch\t", "[status][--check]"),

    // The options that all commands share may stand before the command.
    TypedLine("acct --json lis\t", "[--json][list]"),
    TypedLine("acct -a alic\t", "[-a][alice]"),
    TypedLine("acct --account o\tsta\t", "[--account][o'neil][status]"),

    // Names that a shell would make something else of.
    TypedLine("acct switch alice.\t", "[switch][alice.$(touch${IFS}tricked)]"),
    TypedLine("acct switch o\t", "[switch][o'neil]"),
    TypedLine("acct switch 'o\t", "[switch][o'neil]"),
    TypedLine("acct switch \"ali\t.\t", "[switch][alice.$(touch${IFS}tricked)]"),
    TypedLine("acct switch did:plc:abd\t", "[switch][did:plc:abd]"),
    TypedLine("acct switch me@x\t", "[switch][me@x.example]"),
    TypedLine("acct switch \\~\t", "[switch][~root]"),
    TypedLine("acct switch \\\"\t", "[switch][\"quoted\"]"),
    TypedLine("acct switch ba\t", "[switch][back\\slash]"),
    TypedLine("acct switch a\\&\t", "[switch][a&b;c|d]"),
    TypedLine("acct switch m\tü\t", "[switch][mü]"),
    TypedLine("acct switch \\#\t", "[switch][#hash]"),

    // An account's own origins, for whichever account the line names.
    TypedLine("acct allow --revoke o\\'neil h\t", "[allow][--revoke][o'neil][https://a2.example]"),
    TypedLine("acct allow did:plc:abc https://a\t", "[allow][did:plc:abc][https://a3.example]"),
    TypedLine("acct header -a me@x.example POST h\tx", "[header][-a][me@x.example][POST][https://a5.example/x]"),
    TypedLine("acct header --account=me@y.example h\t", "[header][--account=me@y.example][https://a6.example/]"),
    TypedLine("acct -a o\\'neil observe \tx", "[-a][o'neil][observe][https://a2.example/x]"),
    TypedLine("acct header DE\t", "[header][DELETE]"),

    TypedLine("acct header --format c\t", "[header][--format][curl]"),
    TypedLine("acct header --format=l\t", "[header][--format=lines]"),
    TypedLine("acct add --import .zshr\t", "[add][--import][.zshrc]"),
    TypedLine("acct add --import=.zshr\t", "[add][--import=.zshrc]"),

    // Another program's command line, which begins behind --.
    TypedLine("acct exec \t", "[exec][--]"),
    TypedLine("acct exec -a alice -- ls .zshr\t", "[exec][-a][alice][--][ls][.zshrc]"),

    // Nothing can be known, and nothing is made up.
    TypedLine("acct rename alice o\t", "[rename][alice][o]"),
    TypedLine("acct nonsense a\t", "[nonsense][a]"),
  ]

  init(_ keys: String, _ runs: String) {
    self.keys = keys
    self.runs = runs
  }
}
