import AcctPorts
import FleetPorts
import Testing

@Suite("A connection string of PostgreSQL")
struct PostgresConnectionTests {
  @Test(
    "A connection string that names a host and holds no password is kept as it is",
    arguments: [
      "host=db.example dbname=acct user=acct", "host = 'db.example' port=5432",
      "host=a.example,b.example dbname=acct target_session_attrs=read-write",
      "host=db.example sslmode=verify-full sslrootcert=/etc/ca.pem",
      "host=db.example application_name='it\\'s acct'", "hostaddr=192.0.2.1 host=db.example",
      "postgresql://db.example/acct", "postgres://acct@db.example:5432/acct?sslmode=verify-full",
      "postgresql://a.example:1,b.example:2/acct", "postgresql://[2001:db8::1]:5432/acct",
      "postgresql:///acct?host=db.example", "host=db.example application_name=a\\ b",
    ]
  )
  func kept(text: String) throws {
    #expect(try PostgresConnection.check(text) == text)
    #expect(try PostgresConnection.check("  \(text) ") == text)
  }

  @Test("An authority is added to a connection string, in the form of that")
  func authority() throws {
    #expect(
      try PostgresConnection.check("host=h dbname=d", trusting: "/etc/it's \\ca.pem")
        == #"host=h dbname=d sslrootcert='/etc/it\'s \\ca.pem'"#
    )
    #expect(
      try PostgresConnection.check("postgresql://h/d", trusting: "/a b&c.pem")
        == "postgresql://h/d?sslrootcert=/a%20b%26c.pem"
    )
    #expect(
      try PostgresConnection.check("postgres://h/d?sslmode=verify-full", trusting: "/ü.pem")
        == "postgres://h/d?sslmode=verify-full&sslrootcert=/%c3%bc.pem"
    )
  }

  @Test(
    "A password is found however it is written",
    arguments: [
      "host=h password=x", "password=x host=h", "host=h password = 'a b'", "host=h  password=", "host='h'password=x",
      "host=h sslpassword=x", "postgresql://u:x@h/d", "postgresql://u:@h/d", "postgres://h/d?password=x",
      "postgresql://h/d?user=u&%70assword=x", "postgresql://h/d?sslpassword=x", "postgresql://:x@h/d",
    ]
  )
  func password(text: String) {
    #expect(throws: KeyringSettingsFlaw.password) { try PostgresConnection.check(text) }
  }

  @Test(
    "Text that libpq would not take, or take otherwise, is no connection string",
    arguments: [
      "", " ", "h", "host", "host=h dbname", "=x", "host='h", "host=h sslmode=VERIFY-FULL",
      "host=h sslmode=", "postgresql://h/d?sslmode", "postgresql://h/d?a%4=1",
      "postgresql://h/d?a%00=1", "host=h\ndbname=d", "host=h\u{0}",
    ]
  )
  func malformed(text: String) {
    #expect(throws: KeyringSettingsFlaw.connection) { try PostgresConnection.check(text) }
  }

  @Test("Each mode of TLS that does not verify the server is named")
  func modes() {
    for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
      for text in ["host=h sslmode=\(mode)", "host=h sslmode = '\(mode)'", "postgres://h/?sslmode=\(mode)"] {
        #expect(throws: KeyringSettingsFlaw.unverified(mode: mode)) { try PostgresConnection.check(text) }
      }
    }
  }

  @Test(
    "A socket of this machine, or no host, is no place that machines share",
    arguments: [
      "dbname=acct", "host=", "host=/run/postgresql", "host=@acct", "postgresql:///acct",
      "postgresql://%2Frun%2Fpostgresql/acct", "host=db.example,/run/x hostaddr=/x",
    ]
  )
  func noHost(text: String) {
    #expect(throws: KeyringSettingsFlaw.noHost) { try PostgresConnection.check(text) }
  }

  @Test("Settings from a service file are refused by name")
  func service() {
    #expect(throws: KeyringSettingsFlaw.indirect(keyword: "service")) {
      try PostgresConnection.check("host=h service=x")
    }
  }
}
