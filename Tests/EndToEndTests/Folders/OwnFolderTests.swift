import AcctTestSupport
import Glibc
import Testing

/// The files of a person who keeps them elsewhere, or has them back from a backup.
@Suite("Folders and files as a person keeps them")
struct OwnFolderTests {
  /// Runs lines of a shell in an `ACCT_HOME`.
  private func shell(_ script: String, _ path: String) async throws {
    let ran = try await ChildProcess("sh", ["-euc", script, "sh", path]).run()
    try #require(ran.status == 0, "\(ran.errorText)")
  }

  @Test(
    "A folder of acct's that is the user's own link to their own folder is used as the folder itself",
    arguments: ["", "/data", "/data/accounts", "/state"]
  )
  func link(place: String) async throws {
    let home = try AcctHome()
    try await home.addBearer("a", at: "https://a.example")
    try await shell(#"mkdir -p "$1/state" && chmod 700 "$1/state""#, home.path)
    // As dotfile managers have it: a relative link to a folder beside all others.
    try await shell(#"mv "$1" "$1.kept" && ln -s "$(basename "$1").kept" "$1""#, home.path + place)
    #expect(try await home.acct("header", "https://a.example/").text == "Authorization: Bearer made-up\n")
    try await home.addBearer("b", at: "https://b.example")
    #expect(try await home.acct("header", "https://b.example/").text == "Authorization: Bearer made-up\n")
    let listed = try await home.acct("list")
    #expect(listed.status == 0 && listed.errorText.isEmpty, "\(listed.errorText)")
    let doctor = try await home.acct("doctor", "--offline")
    #expect(doctor.status == 0, "\(doctor.text)")
    #expect(doctor.text.contains("only you can use the files and folders"), "\(doctor.text)")
    // What lies behind it is judged as ever, and named by the path that chmod(1) reaches it at.
    try await shell(#"chmod 755 "$1/" && chmod 644 "$1"/*.json 2>/dev/null || true"#, home.path + place)
    #expect(try await home.acct("doctor", "--offline").text.contains("can be read by others"))
    let repaired = try await home.acct("doctor", "--offline", "--repair")
    #expect(repaired.status == 0, "\(repaired.text)")
    try await shell(#"chmod 777 "$1/""#, home.path + place)
    let words = ["add", "--token", "-", "--allow-origin", "https://c.example"]
    let refused = try await home.command(words, input: "made-up").run()
    #expect(refused.status != 0 && refused.errorText.contains("can write to"), "\(refused.errorText)")
  }

  @Test("A link to no folder, and another user's link, are told as that, and no folder is made in their place")
  func badLink() async throws {
    let home = try AcctHome()
    try await home.addBearer("a", at: "https://a.example")
    let place = "\(home.path)/data/accounts"
    try await shell(#"mv "$1" "$1.kept" && ln -s "$1.gone" "$1""#, place)
    for words in [["list"], ["add", "--token", "-", "--allow-origin", "https://b.example"]] {
      let ran = try await home.command(words, input: "made-up").run()
      #expect(ran.status == 1)
      #expect(ran.errorText.contains("\(place) is not safe to use: it is a link to a folder that does not exist"))
    }
    #expect(try await home.acct("doctor", "--offline").text.contains("\(place) is a symbolic link"))
    guard geteuid() == 0 else { return }
    try await shell(#"rm "$1" && ln -s "$1.kept" "$1" && chown -h 12345 "$1""#, place)
    let ran = try await home.acct("list")
    #expect(ran.status == 1)
    #expect(ran.errorText.contains("the link \(place) belongs to another user"), "\(ran.errorText)")
  }

  @Test("What a restore has opened to others is told once, with one line that mends all of it")
  func restored() async throws {
    let home = try AcctHome()
    for name in ["a", "b", "c"] { try await home.addBearer(name, at: "https://\(name).example") }
    try await shell(#"chmod 664 "$1"/data/accounts/*.json"#, home.path)
    let listed = try await home.acct("list")
    #expect(listed.status == 0)
    let line = "chmod 600 \(home.path)/data/accounts/*.json"
    let reason = "others can write to them, or you may not read them"
    #expect(listed.errorText == "acct: the files of a, b, c are not used: \(reason): run `\(line)`; skipped\n")
    let doctor = try await home.acct("doctor", "--offline")
    #expect(doctor.status == 1)
    #expect(doctor.text.contains("3 files and folders can be changed by others"), "\(doctor.text)")
    #expect(doctor.text.contains("; not used: a, b, c\n"), "\(doctor.text)")
    #expect(doctor.text.split(separator: "chmod").count == 2, "\(doctor.text)")
    try await shell(line, home.path)
    #expect(try await home.acct("list").errorText == "")
    // All that a careless copy has opened, the vault as well: the doctor's line.
    try await shell(#"chmod -R go+rwX "$1""#, home.path)
    let text = try await home.acct("doctor", "--offline").text
    let fix = try #require(text.split(separator: "`").first { $0.hasPrefix("chmod -R") }, "\(text)")
    try await shell(String(fix), home.path)
    #expect(try await home.acct("header", "https://b.example/").status == 0)
    #expect(try await home.acct("doctor", "--offline").status == 0)
  }

  @Test("Files that others can read are one finding, and closed by one repair")
  func readable() async throws {
    let home = try AcctHome()
    for name in ["a", "b", "c"] { try await home.addBearer(name, at: "https://\(name).example") }
    try await shell(#"chmod 644 "$1"/data/accounts/*.json && chmod 755 "$1"/data/accounts"#, home.path)
    let listed = try await home.acct("list")
    #expect(listed.status == 0 && listed.errorText.isEmpty)
    let doctor = try await home.acct("doctor", "--offline")
    #expect(doctor.text.contains("4 files and folders can be read by others, such as \(home.path)"), "\(doctor.text)")
    #expect(try await home.acct("doctor", "--offline", "--repair").status == 0)
  }

  @Test("An account's file that its user may not read is told with its chmod line, and the others are listed")
  func unreadable() async throws {
    let rights = try await ChildProcess.rootRights()
    let folder = try TemporaryFolder()
    // As a user, since root may read every file. The folders of a build may be closed to that user.
    let lines = #"""
      exec 9<"$2"
      chown 65534:65534 "$1"
      home=$1/home
      user() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env -i PATH="$PATH" "$@"; }
      acct() { user ACCT_HOME="$home" ACCT_KEYRING=vault ACCT_VAULT_PASSPHRASE_FILE="$home.pass" /proc/self/fd/9 "$@" 2>&1; }
      user sh -c 'umask 077; echo made-up-words >"$1.pass"; mkdir "$1"' sh "$home"
      for name in a b; do
        acct add --token "$home.pass" --allow-origin "https://$name.example" --name "$name"
      done
      acct switch a
      file=$(grep -l '"name":"b"' "$home"/data/accounts/*.json)
      chmod 0 "$file"
      echo "file $file"
      for words in list "status b" "header https://b.example/" "header https://a.example/" "doctor --offline"; do
        acct $words && echo "$words: 0" || echo "$words: $?"
      done
      chmod u+r "$file"
      acct header https://b.example/
      """#
    let arguments = Array(rights.dropFirst()) + ["sh", "-euc", lines, "sh", folder.path, Product.executable("acct")]
    let ran = try await ChildProcess(rights[0], arguments).run()
    let text = ran.text
    let file = try #require(text.split(separator: "\n").first { $0.hasPrefix("file ") }?.dropFirst(5), "\(text)")
    let told = "is not used: \(file): you may not read it: run `chmod u+r \(file)`"
    #expect(text.contains("\(told); skipped\n"), "\(text)")
    #expect(text.contains("list: 0\n") && text.contains("status b: 5\n"), "\(text)")
    #expect(text.contains("header https://b.example/: 8\n"), "\(text)")
    #expect(text.contains("Authorization: Bearer made-up-words\nheader https://a.example/: 0\n"), "\(text)")
    #expect(text.contains("\(file) can't be read by you; not used: account "), "\(text)")
    #expect(text.contains("fix: `chmod u+rwX \(file)`"), "\(text)")
    #expect(text.hasSuffix("Authorization: Bearer made-up-words\n"), "\(text)")
  }

  @Test("The doctor names a file system that is full or read-only, and the commands say why they can't write")
  func fullAndReadOnly() async throws {
    let rights = try await ChildProcess.rootRights()
    let folder = try TemporaryFolder()
    let passphrase = try folder.file("passphrase", containing: "made-up-words\n")
    let disk = try folder.folder("disk")
    let script = #"""
      mount -t tmpfs -o size=256k,mode=700 none "$1"
      home=$1/home acct=$2 passphrase=$3
      a() {
        env -i ACCT_HOME="$home" ACCT_KEYRING=vault ACCT_VAULT_PASSPHRASE_FILE="$passphrase" "$acct" "$@" 2>&1 &&
          echo "$1: 0" || echo "$1: $?"
      }
      mount -o remount,ro "$1"
      a doctor --offline
      printf made-up | a add --token - --allow-origin https://a.example --name a
      mount -o remount,rw "$1"
      mkdir -m 700 "$home" "$home/data"
      head -c 300k /dev/zero >"$1/filler" || :
      a doctor --offline
      printf made-up | a add --token - --allow-origin https://a.example --name a
      """#
    let arguments =
      Array(rights.dropFirst())
      + ["unshare", "--mount", "sh", "-euc", script, "sh", disk, Product.executable("acct"), passphrase]
    let ran = try await ChildProcess(rights[0], arguments).run()
    #expect(ran.status == 0, "\(ran.errorText)")
    let text = ran.text
    #expect(text.contains("/home is on a file system that is read-only: nothing can be stored or renewed"), "\(text)")
    #expect(text.contains("read-only file system"), "\(text)")
    #expect(text.contains("/home is on a disk that is full: nothing can be stored or renewed"), "\(text)")
    #expect(text.contains("no space left on device"), "\(text)")
  }
}
