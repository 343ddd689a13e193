import AcctModel

/// The desktop entry that makes acct the handler of an app's scheme (freedesktop.org's
/// "Desktop Entry Specification").
struct DesktopEntry: Equatable {
  let scheme: String
  /// The program that it runs.
  let program: String
  /// The folder with the socket of the waiting process.
  let folder: String

  /// The file's name; every name that begins and ends like this is acct's own.
  var name: String { "\(Self.prefix)\(scheme)\(Self.suffix)" }

  private static let prefix = "acct-callback-"
  private static let suffix = ".desktop"

  /// The scheme that a file is for, if it is one of acct's by its name.
  static func scheme(ofFile name: String) -> String? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    return String(name.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
  }

  /// The folder in which the author of an entry listens, if it is one of acct's by its content.
  static func folder(in text: String) -> String? {
    for line in text.split(separator: "\n") where line.hasPrefix("\(folderKey)=") {
      return String(line.dropFirst(folderKey.utf8.count + 1))
    }
    return nil
  }

  private static let folderKey = "X-Acct-Folder"

  var type: String { "x-scheme-handler/\(scheme)" }

  /// The file; `nil` where a path can't be written in it.
  var text: String? {
    let (program, argument): (String, String)
    do {
      (program, argument) = (
        try OutputFormat.desktopArgument.written(self.program), try OutputFormat.desktopArgument.written(folder)
      )
    } catch { return nil }
    return """
      [Desktop Entry]
      Type=Application
      Name=acct
      Comment=Takes the callback of the sign-in that waits in a terminal
      Exec=\(program) callback --folder \(argument) -- %u
      Terminal=false
      NoDisplay=true
      StartupNotify=false
      MimeType=\(type);
      \(Self.folderKey)=\(folder)

      """
  }
}
