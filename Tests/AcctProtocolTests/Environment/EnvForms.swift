import Testing

/// A `.env` file of one variable, as projects have them.
struct EnvForm: CustomTestStringConvertible, Sendable {
  let text: String
  let value: String
  let variable: String

  init(_ text: String, _ value: String, as variable: String = "KEY") {
    (self.text, self.value, self.variable) = (text, value, variable)
  }

  var testDescription: String { text.debugDescription }

  /// The forms in which programs write a value, and those that their readers are tested with: dotenv of Node.js, Ruby,
  /// Python and Go, Compose, `docker run --env-file`, systemd's `EnvironmentFile`, and shells.
  static let all: [EnvForm] = [
    EnvForm("KEY=abc\n", "abc"),
    EnvForm("KEY=abc", "abc"),
    EnvForm("KEY=\n", ""),
    EnvForm("KEY=", ""),
    EnvForm("KEY=\"\"\n", ""),
    EnvForm("KEY=''\n", ""),
    EnvForm("KEY=``\n", ""),
    EnvForm("export KEY=abc\n", "abc"),
    EnvForm("  export\t KEY=abc\n", "abc"),
    EnvForm("export=abc\n", "abc", as: "export"),
    EnvForm("KEY=abc\nexport KEY\n", "abc"),
    EnvForm("KEY = abc\n", "abc"),
    EnvForm("KEY\t=\t abc \t\n", "abc"),
    EnvForm("   KEY=abc\n", "abc"),
    EnvForm("KEY: abc\n", "abc"),
    EnvForm("KEY: \"a: b\"\n", "a: b"),
    EnvForm("KEY=a=b==\n", "a=b=="),
    EnvForm("KEY=\"abc\"\n", "abc"),
    EnvForm("KEY='abc'\n", "abc"),
    EnvForm("KEY=`abc`\n", "abc"),
    EnvForm("KEY=\"  abc  \"\n", "  abc  "),
    EnvForm("KEY='a \"b\" c'\n", "a \"b\" c"),
    EnvForm("KEY=\"a 'b' c\"\n", "a 'b' c"),
    EnvForm("KEY=`a \"b\" 'c'`\n", "a \"b\" 'c'"),
    EnvForm("KEY=\"a \\\"b\\\"\"\n", "a \"b\""),
    EnvForm("KEY='it\\'s'\n", "it's"),
    EnvForm("KEY=\"one\\ntwo\\tthree\\r\"\n", "one\ntwo\tthree\r"),
    EnvForm("KEY='one\\ntwo'\n", "one\\ntwo"),
    EnvForm("KEY=one\\ntwo\n", "one\\ntwo"),
    EnvForm("KEY=\"C:\\\\dir\\\\file\"\n", "C:\\dir\\file"),
    EnvForm("KEY=\"a\\d\"\n", "a\\d"),
    EnvForm("KEY=C:\\dir\n", "C:\\dir"),
    EnvForm("KEY=\"pa\\$\\$word\"\n", "pa$$word"),
    EnvForm("KEY=\"\\`date\\`\"\n", "`date`"),
    EnvForm("KEY=$HOME/bin\n", "$HOME/bin"),
    EnvForm("KEY=\"${HOME}/bin\"\n", "${HOME}/bin"),
    EnvForm("KEY='$HOME'\n", "$HOME"),
    EnvForm("KEY=abc # a comment\n", "abc"),
    EnvForm("KEY=\"abc\" # a \"comment\"\n", "abc"),
    EnvForm("KEY='abc'# a comment\n", "abc"),
    EnvForm("KEY=abc#def\n", "abc#def"),
    EnvForm("KEY=#abc\n", "#abc"),
    EnvForm("KEY= # a comment\n", ""),
    EnvForm("KEY=\"a # b\"\n", "a # b"),
    EnvForm("# a comment\n\n  # another\n; systemd's\nKEY=abc\n\n", "abc"),
    EnvForm("KEY=abc\r\n", "abc"),
    EnvForm("# a comment\r\nKEY=\"abc\"\r\n", "abc"),
    EnvForm("OTHER=x\rKEY=abc\r", "abc"),
    EnvForm("\u{FEFF}KEY=abc\n", "abc"),
    EnvForm("KEY=\"-----BEGIN KEY-----\nabc\n-----END KEY-----\n\"\n", "-----BEGIN KEY-----\nabc\n-----END KEY-----\n"),
    EnvForm("KEY='one\ntwo'\n", "one\ntwo"),
    EnvForm("KEY={\"a\": [1, 2]}\n", "{\"a\": [1, 2]}"),
    EnvForm("KEY='{\"a\": \"b\"}'\n", "{\"a\": \"b\"}"),
    EnvForm(
      "KEY=postgres://app:pw@db.example:5432/app?sslmode=require\n",
      "postgres://app:pw@db.example:5432/app?sslmode=require"
    ),
    EnvForm("KEY=\"abc\n", "\"abc"),
    EnvForm("KEY=it's\n", "it's"),
    EnvForm("KEY=two words\n", "two words"),
    EnvForm("KEY=Grüße\n", "Grüße"),
    EnvForm("KEY=first\nKEY=second\n", "second"),
    EnvForm("spring.datasource.password=abc\n", "abc", as: "spring.datasource.password"),
    EnvForm("my-key=abc\n", "abc", as: "my-key"),
    EnvForm("2FA_KEY=abc\n", "abc", as: "2FA_KEY"),
  ]
}
