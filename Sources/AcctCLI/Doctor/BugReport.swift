import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import Text

/// The facts that a report of a bug needs, as Markdown, without secrets, and without names, hosts and paths of the user.
///
/// Each is a number, or a word of a list: a text from outside is looked up in a list of this file, and is `other` if it
/// is not there. No message is in it, and no identifier but the codes of findings.
struct BugReport {
  let lines: [String]

  /// Reports on the system and on the accounts; prompts for nothing.
  ///
  /// - Parameters:
  ///   - context: Everything outside.
  ///   - findings: What the checks found.
  init(_ context: EngineContext, _ findings: [Finding]) async {
    let machine = context.world.environment.machine()
    let variable = context.world.environment.variable
    var lines = [
      "- acct: \(version)",
      "- system: \(Self.distribution(machine.distribution)), Linux \(numbers(machine.kernel)), "
        + known(machine.architecture, Self.architectures),
      "- libraries: "
        + (["glibc \(numbers(machine.libc))"] + machine.libraries.map(Self.library)).joined(separator: ", "),
      "- session: \(Self.session(variable))",
      "- terminal: \(variable("TERM").map { known($0, Self.terminals) } ?? "none")",
      "- locale: \(Self.locale(["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first))",
    ]
    do throws(EngineError) {
      let metrics = try await AccountMetrics.of(context)
      lines.append("- keyring: \(metrics.kind.map { "\($0.rawValue), \(metrics.isUp ? "up" : "down")" } ?? "none")")
      lines.append("- home: format \(AccountFile.version)")
      lines.append("- accounts: \(Self.accounts(metrics))")
    } catch {
      lines.append("- accounts: can't be read (\(code(ErrorMessage(error).code)))")
    }
    let found = findings.map { finding in
      "\(finding.isRepaired ? "repaired" : finding.severity.rawValue) \(code(finding.code))"
    }
    lines.append("- findings: \(counted(found))")
    self.lines = lines
  }

  private static let architectures = "x86_64 aarch64 riscv64 ppc64le s390x"

  private static let distributions = """
    almalinux alpine arch centos debian devuan elementary endeavouros fedora gentoo kali linuxmint \
    manjaro neon nixos opensuse-leap opensuse-tumbleweed pop raspbian rhel rocky sles ubuntu void
    """

  private static let desktops = """
    Budgie Cinnamon COSMIC Deepin Enlightenment GNOME Hyprland i3 KDE LXDE LXQt MATE Pantheon sway Unity \
    XFCE
    """

  private static let sessions = "mir tty unspecified wayland web x11"

  private static let terminals = """
    alacritty dumb foot linux rxvt-unicode-256color screen screen-256color tmux tmux-256color vt100 \
    vt220 xterm xterm-256color xterm-ghostty xterm-kitty
    """

  private static let encodings = "UTF-8 utf8 ISO-8859-1 ISO-8859-15 iso88591 iso885915"

  /// The distribution and its version, by two lines of os-release(5).
  private static func distribution(_ release: String) -> String {
    func value(_ name: String) -> String? {
      for line in release.split(separator: "\n") where line.hasPrefix("\(name)=") {
        return line.dropFirst(name.count + 1).filter { $0 != "\"" && $0 != "'" }
      }
      return nil
    }
    return "\(known(value("ID") ?? "", distributions)) \(numbers(value("VERSION_ID") ?? ""))"
  }

  /// A library's name and the version of its file, both without the `.so`.
  private static func library(_ name: String, _ file: String?) -> String {
    let plain = String(name.prefix { $0 != "." })
    guard let file else { return "\(plain) missing" }
    let start = "\(plain).so."
    return "\(plain) \(numbers(file.hasPrefix(start) ? String(file.dropFirst(start.count)) : ""))"
  }

  private static func session(_ variable: (String) -> String?) -> String {
    var words: [String] = []
    if let desktop = variable("XDG_CURRENT_DESKTOP") {
      let parts = desktop.split(separator: ":").map { known(String($0), desktops) }
      words.append(parts.first { $0 != other } ?? other)
    }
    words.append(variable("XDG_SESSION_TYPE").map { known($0, sessions) } ?? "no type")
    words.append(variable("DBUS_SESSION_BUS_ADDRESS") == nil ? "no bus" : "bus")
    if variable("SSH_CONNECTION") != nil { words.append("over SSH") }
    return words.joined(separator: ", ")
  }

  /// A locale as `de_DE.UTF-8`: two letters, two letters, and an encoding of the list.
  private static func locale(_ name: String?) -> String {
    guard let name else { return "none" }
    let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let words = parts[0].split(separator: "_", omittingEmptySubsequences: false)
    let isPlain = parts[0] == "C" || parts[0] == "POSIX"
    let isLanguage =
      words.count <= 2 && words[0].utf8.count == 2 && words[0].utf8.allSatisfy(\.isASCIISmallLetter)
      && (words.count == 1 || words[1].utf8.count == 2 && words[1].utf8.allSatisfy(\.isASCIICapital))
    guard isPlain || isLanguage, parts.count == 1 || known(String(parts[1]), encodings) != other else { return other }
    return name
  }

  private static func accounts(_ metrics: AccountMetrics) -> String {
    let kinds = metrics.accounts.map { "\($0.account.kind.rawValue) \($0.assessment.state.rawValue)" }
    let unreadable = Array(repeating: "unreadable", count: metrics.damaged)
    return counted(kinds.sorted() + unreadable)
  }
}

private let other = "other"

/// A text if the list has it.
///
/// A list is a text of words: an array of constants has an address, which the loader adjusts at each start.
private func known(_ text: String, _ list: String) -> String {
  list.split(separator: " ").contains { $0 == text } ? text : other
}

/// The digits and points at the start of a text; `unknown` without any.
private func numbers(_ text: String) -> String {
  let start = text.utf8.prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
  return start.isEmpty ? "unknown" : String(Substring(start))
}

/// A code as those of acct are: letters alone.
private func code(_ text: String) -> String {
  text.utf8.allSatisfy(\.isASCIILetter) ? text : other
}

/// Texts in order, each once, with their number where they are several; `none` for none.
private func counted(_ texts: [String]) -> String {
  var order: [String] = []
  var counts: [String: Int] = [:]
  for text in texts {
    if counts[text] == nil { order.append(text) }
    counts[text, default: 0] += 1
  }
  guard !order.isEmpty else { return "none" }
  return order.map { text in counts[text].map { $0 > 1 ? "\($0) × \(text)" : text } ?? text }.joined(separator: ", ")
}
