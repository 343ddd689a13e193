import AcctPorts
import AcctTestSupport
import FleetPorts
import Testing

@Suite("Where a shared keyring is")
struct KeyringOptionTests {
  let machine = SharingMachine()

  private func create(_ arguments: [String]) async -> Int32 {
    machine.record.clear()
    return await machine.run(["keyring", "create"] + arguments)
  }

  @Test("The files of a client are kept as whole paths, and not opened")
  func files() async {
    for name in ["me.pem", "me.key", "/etc/ca.pem"] { machine.record.secretFiles[name] = "x" }
    let options = ["--cert", "me.pem", "--key", "me.key", "--ca", "/etc/ca.pem", "--name", "ci_1"]
    #expect(await create(["etcd", "https://a.example:2379,https://b.example:2379"] + options) == 0)
    #expect(
      machine.settings.value
        == SharedKeyringSettings(
          engine: .etcd(
            .init(
              endpoints: ["https://a.example:2379", "https://b.example:2379"],
              certificate: "/home/alice/me.pem",
              key: "/home/alice/me.key",
              authority: "/etc/ca.pem"
            )
          ),
          name: "ci_1"
        )
    )
  }

  @Test("A connection string may be one word or several, and its password is in a file")
  func connection() async {
    machine.record.secretFiles["pass"] = "x"
    let options = ["--password-file", "pass"]
    #expect(await create(["postgres", "host=db.example", "dbname=acct"] + options) == 0)
    #expect(
      machine.settings.value
        == SharedKeyringSettings(
          engine: .postgres(.init(connection: "host=db.example dbname=acct", passwordFile: "/home/alice/pass")),
          name: "main"
        )
    )
  }

  @Test(
    "A place or a name that is not one exits with 64 and nothing of it is repeated",
    arguments: [
      ["etcd", "http://hunter2.example:2379"], ["etcd", "https://hunter2.example"],
      ["etcd", "https://u:hunter2@a.example:2379"], ["etcd", "https://a.example:2379/hunter2"],
      ["etcd", "hunter2:2379"], ["etcd", "https://a.example:2379,"],
      ["etcd", "https://a.example:2379", "--name", "hunter2/x"], ["etcd", "https://a.example:2379", "--name", ""],
      ["postgres", "host=db.example password=hunter2"], ["postgres", "host=db.example", "password=hunter2"],
      ["postgres", "host=db.example password = 'hunter2'"], ["postgres", "postgresql://acct:hunter2@db.example/acct"],
      ["postgres", "postgresql://db.example/acct?pass%77ord=hunter2"],
      ["postgres", "host=db.example sslpassword=hunter2"], ["postgres", "host=db.example service=hunter2"],
      ["postgres", "dbname=hunter2"], ["postgres", "host=/run/hunter2"], ["postgres", "hunter2"],
      ["postgres", "host='hunter2"], ["postgres", "host=db.example sslmode=hunter2"],
      ["hunter2", "https://a.example:2379"], ["host=hunter2 dbname=acct", "x"],
    ]
  )
  func malformed(arguments: [String]) async {
    #expect(await create(arguments) == 64)
    #expect(!machine.record.err.joined().contains("hunter2"), "\(machine.record.err)")
    #expect(machine.settings.value == nil)
  }

  @Test("A command of keyring that is missing or misspelt is not repeated with the address behind it")
  func misspelt() async {
    for words in [["host=db.example password=hunter2"], ["jion", "postgres", "password=hunter2"]] {
      machine.record.clear()
      #expect(await machine.run(["keyring"] + words) == 64)
      #expect(machine.record.err.first == "acct: `acct keyring` has no such command")
    }
  }

  @Test(
    "A connection that does not verify its server exits with 8",
    arguments: ["disable", "allow", "prefer", "require", "verify-ca"]
  )
  func unverified(mode: String) async {
    for connection in ["host=db.example sslmode=\(mode)", "postgres://db.example/acct?sslmode=\(mode)"] {
      #expect(await create(["postgres", connection]) == 8)
      #expect(
        machine.record.err.first == "acct: refused: sslmode=\(mode) does not verify the server"
      )
    }
    #expect(await create(["postgres", "host=db.example sslmode=verify-full"]) == 0)
  }

  @Test(
    "Options of the other engine, and halves of pairs, are usage",
    arguments: [
      ["etcd", "https://a.example:2379", "--cert", "x"], ["etcd", "https://a.example:2379", "--user", "x"],
      ["etcd", "https://a.example:2379", "--password-file", "x"], ["postgres", "host=db.example", "--user", "x"],
      ["postgres", "host=db.example", "--cert", "x", "--key", "x"], ["etcd"],
    ]
  )
  func pairs(arguments: [String]) async {
    machine.record.secretFiles["x"] = "x"
    #expect(await create(arguments) == 64)
  }

  @Test("The authority of PostgreSQL's certificate is a file like etcd's")
  func authority() async {
    machine.record.secretFiles["ca.pem"] = "x"
    #expect(await create(["postgres", "host=db.example dbname=acct", "--ca", "ca.pem"]) == 0, "\(machine.record.err)")
    #expect(
      machine.settings.value?.connection == "host=db.example dbname=acct sslrootcert='/home/alice/ca.pem'"
    )
  }

  @Test("A file that is not there is named by its option alone, as its name may be a password")
  func missing() async {
    let options = ["--user", "acct", "--password-file", "hunter2"]
    #expect(await create(["etcd", "https://a.example:2379"] + options) == 65)
    #expect(
      machine.record.err == ["acct: --password-file names a file, and there is no such file"]
    )
  }
}
