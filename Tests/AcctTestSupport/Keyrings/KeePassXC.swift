import Synchronization

/// A real KeePassXC that draws on no screen, with a database that it offers as a Secret Service.
package final class KeePassXC: DesktopKeyring {
  package let bus: PrivateBus
  private let daemon: Mutex<Daemon>
  private let database: String
  private let passwords: String

  /// What it asks its user about, unless it was told not to.
  package enum Question: String, CaseIterable, Sendable {
    case beforeAccess = "ConfirmAccessItem"
    case beforeDeletion = "ConfirmDeleteItem"
    case whenSearchedLocked = "UnlockBeforeSearch"
  }

  /// Starts bus and KeePassXC, and waits until its database is open.
  ///
  /// - Parameters:
  ///   - questions: what it asks its user about.
  ///   - recyclesDeleted: whether what is deleted goes to the recycle bin, and not for good.
  /// - Throws: ``HarnessFailure`` if it is not installed, or does not start.
  package init(asking questions: [Question] = [], recyclesDeleted: Bool = true) throws(HarnessFailure) {
    bus = try PrivateBus()
    database = "\(bus.folder.path)/test.kdbx"
    passwords = try bus.folder.file("passwords", "\(Self.password)\n\(Self.password)\n")
    let export = try bus.folder.file("export.xml", Self.emptyDatabase(recyclesDeleted: recyclesDeleted))
    try Daemon.run(
      ["keepassxc-cli", "import", "-p", export, database],
      environment: bus.environment.merging(Self.withoutScreen) { $1 },
      input: passwords
    )
    daemon = Mutex(try Self.start(on: bus, asking: questions, database, passwords))
    try wait(untilLocked: false)
  }

  /// Ends it and starts it again, with its database open.
  package func restart(asking questions: [Question]) throws(HarnessFailure) {
    // Locking saves, which it does at no other time.
    try lock()
    kill()
    let started = try Self.start(on: bus, asking: questions, database, passwords)
    daemon.withLock { $0 = started }
    try wait(untilLocked: false)
  }

  /// Locks the database, and with it takes all items away.
  package func lock() throws(HarnessFailure) {
    try window("lockAllDatabases")
    try wait(untilLocked: true)
  }

  /// Unlocks the database, as a user who types its password.
  package func unlock() throws(HarnessFailure) {
    try window("openDatabase", database, Self.password)
    try wait(untilLocked: false)
  }

  package func kill() { daemon.withLock { $0.stop() } }

  private static let password = "made up"
  private static let withoutScreen = ["QT_QPA_PLATFORM": "offscreen"]

  /// A database as KeePassXC exports one, with nothing in it but the wish to be a Secret Service.
  private static func emptyDatabase(recyclesDeleted: Bool) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <KeePassFile>
      <Meta>
        <Generator>acct</Generator>
        <RecycleBinEnabled>\(recyclesDeleted ? "True" : "False")</RecycleBinEnabled>
        <CustomData>
          <Item>
            <Key>FDO_SECRETS_EXPOSED_GROUP</Key>
            <Value>{00112233-4455-6677-8899-aabbccddeeff}</Value>
          </Item>
        </CustomData>
      </Meta>
      <Root>
        <Group>
          <UUID>ABEiM0RVZneImaq7zN3u/w==</UUID>
          <Name>Root</Name>
        </Group>
      </Root>
    </KeePassFile>
    """
  }

  /// Starts it so that it saves when it is locked, and not after every change: KeePassXC 2.7.4 itself
  /// crashes when it saves while it serves, 5 times of 25 on a machine under load.
  private static func start(
    on bus: PrivateBus,
    asking questions: [Question],
    _ database: String,
    _ passwords: String
  ) throws(HarnessFailure) -> Daemon {
    let answers = Question.allCases.map { "\($0.rawValue)=\(questions.contains($0))" }
    let settings = try bus.folder.file(
      "keepassxc.ini",
      """
      [General]
      ConfigVersion=2
      SingleInstance=false
      UpdateCheckMessageShown=true
      AutoSaveAfterEveryChange=false
      AutoSaveOnExit=true
      [GUI]
      CheckForUpdates=false
      [FdoSecrets]
      Enabled=true
      ShowNotification=false
      \(answers.joined(separator: "\n"))
      """
    )
    let daemon = try Daemon(
      ["keepassxc", "--config", settings, "--localconfig", "\(bus.folder.path)/local.ini"] + ["--pw-stdin", database],
      environment: bus.environment.merging(withoutScreen) { $1 },
      input: passwords
    )
    try bus.wait(for: "org.freedesktop.secrets")
    return daemon
  }

  private func window(_ method: String, _ arguments: String...) throws(HarnessFailure) {
    let name = "org.keepassxc.KeePassXC.MainWindow"
    try bus.call("\(name).\(method)", of: name, at: "/keepassxc", arguments)
  }
}
