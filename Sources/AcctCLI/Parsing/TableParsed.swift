import AcctConsole
import AcctRequests
import ArgumentParser

/// A command that scripts and prompts call so often that the start of ArgumentParser counts.
///
/// ArgumentParser finds out at each start what the types of all options can do, and each question searches every
/// conformance of the program. The words of these commands are therefore looked up in a table first, which is the
/// `switch` of ``take(_:_:)``. It accepts what a script writes; anything else (help, an abbreviated or unknown
/// option, `--option=value`, a bad value) is left to ArgumentParser, which declares the options and has the words for
/// every mistake.
protocol TableParsed: AcctCommand {
  var options: SharedOptions { get set }

  /// Its groups of options, each of which says by itself what values go together.
  var groups: [any ParsableArguments] { get }

  /// The command with the default of each of its own properties, which only ArgumentParser gives by itself.
  static var withDefaults: Self { get }

  /// The number of arguments that it takes.
  static var argumentCount: ClosedRange<Int> { get }

  /// The options that may be given more than once.
  static var repeatable: [String] { get }

  /// Sets the property of an option of the command's own.
  ///
  /// - Parameters:
  ///   - option: The word of the command line.
  ///   - value: Takes the next word; `nil` if that is no plain value.
  /// - Returns: `false` if the word is none of its options, or its value none of theirs.
  mutating func take(_ option: String, _ value: () -> String?) -> Bool

  /// Sets the property of an argument; `false` for a bad one.
  mutating func take(argument: String) -> Bool
}

extension TableParsed {
  var groups: [any ParsableArguments] { [options] }
  static var argumentCount: ClosedRange<Int> { 0...0 }
  static var repeatable: [String] { [] }
  mutating func take(_ option: String, _ value: () -> String?) -> Bool { false }
  mutating func take(argument: String) -> Bool { false }

  /// Parses the words behind the command's name; `nil` leaves them to ArgumentParser.
  static func tabled(_ words: ArraySlice<String>) -> Self? {
    var command = withDefaults
    var options = SharedOptions.withDefaults
    var rest = words
    var arguments = 0
    var taken: [String] = []
    while let word = rest.popFirst() {
      if word.isPlain {
        arguments += 1
        guard command.take(argument: word) else { return nil }
      } else {
        // What the second one of two means is ArgumentParser's to say.
        guard !taken.contains(word) else { return nil }
        if !repeatable.contains(word) { taken.append(word) }
        let value: () -> String? = {
          guard let next = rest.first, next.isPlain else { return nil }
          return rest.removeFirst()
        }
        guard options.take(word, value) || command.take(word, value) else { return nil }
      }
    }
    guard argumentCount.contains(arguments) else { return nil }
    command.options = options
    do {
      for var group in command.groups { try group.validate() }
      try command.validate()
    } catch { return nil }
    return command
  }
}

extension String {
  /// `true` for a word that is not an option, in any reading.
  fileprivate var isPlain: Bool { utf8.first.map { $0 != UInt8(ascii: "-") } ?? false }
}

extension SharedOptions {
  static var withDefaults: SharedOptions {
    var options = SharedOptions()
    options.account = nil
    (options.json, options.quiet, options.verbose) = (false, false, false)
    (options.noInput, options.noColor) = (false, false)
    options.timeout = nil
    return options
  }

  fileprivate mutating func take(_ option: String, _ value: () -> String?) -> Bool {
    switch option {
    case "--account", "-a":
      guard account == nil, let name = value() else { return false }
      account = name
    case "--json": json = true
    case "--quiet", "-q": quiet = true
    case "--verbose", "-v": verbose = true
    case "--no-input": noInput = true
    case "--no-color": noColor = true
    case "--timeout":
      guard let seconds = value().flatMap({ try? seconds($0) }) else { return false }
      timeout = seconds
    default: return false
    }
    return true
  }
}

extension HeaderCommand: TableParsed {
  static var argumentCount: ClosedRange<Int> { 0...2 }

  static var withDefaults: HeaderCommand {
    var command = HeaderCommand()
    command.request = []
    command.format = .lines
    command.minValid = nil
    (command.offline, command.bearer) = (false, false)
    (command.audience, command.scope, command.credentials) = (nil, nil, nil)
    return command
  }

  mutating func take(_ option: String, _ value: () -> String?) -> Bool {
    switch option {
    case "--format":
      guard let format = value().flatMap({ Format(rawValue: $0) }) else { return false }
      self.format = format
    case "--min-valid":
      guard let seconds = value().flatMap({ try? seconds($0) }) else { return false }
      minValid = seconds
    case "--offline": offline = true
    case "--bearer": bearer = true
    case "--audience":
      guard let name = value() else { return false }
      audience = name
    case "--scope":
      guard let words = value() else { return false }
      scope = words
    case "--credentials":
      guard let file = value() else { return false }
      credentials = file
    default: return false
    }
    return true
  }

  mutating func take(argument: String) -> Bool {
    request.append(argument)
    return true
  }
}

extension TokenCommand: TableParsed {
  var groups: [any ParsableArguments] { [audience, options] }
  static var argumentCount: ClosedRange<Int> { 0...1 }

  static var withDefaults: TokenCommand {
    var command = TokenCommand()
    (command.url, command.minValid) = (nil, nil)
    (command.offline, command.id) = (false, false)
    (command.sasl, command.user, command.credentials) = (nil, nil, nil)
    command.audience = .withDefaults
    return command
  }

  mutating func take(_ option: String, _ value: () -> String?) -> Bool {
    switch option {
    case "--min-valid":
      guard let seconds = value().flatMap({ try? seconds($0) }) else { return false }
      minValid = seconds
    case "--offline": offline = true
    case "--id": id = true
    case "--credentials":
      guard let file = value() else { return false }
      credentials = file
    default: return audience.take(option, value)
    }
    return true
  }

  mutating func take(argument: String) -> Bool {
    url = argument
    return true
  }
}

extension RequestCommand: TableParsed {
  var groups: [any ParsableArguments] { [audience, options] }
  static var argumentCount: ClosedRange<Int> { 1...2 }
  static var repeatable: [String] { ["-H", "--header"] }

  static var withDefaults: RequestCommand {
    var command = RequestCommand()
    (command.request, command.header) = ([], [])
    (command.data, command.output, command.credentials) = (nil, nil, nil)
    (command.include, command.follow) = (false, false)
    command.retry = 0
    command.audience = .withDefaults
    return command
  }

  mutating func take(_ option: String, _ value: () -> String?) -> Bool {
    switch option {
    case "--header", "-H":
      guard let line = value() else { return false }
      header.append(line)
    case "--data", "-d":
      guard let body = value() else { return false }
      data = body
    case "--output", "-o":
      guard let file = value() else { return false }
      output = file
    case "--retry":
      guard let times = value().flatMap({ Int($0) }) else { return false }
      retry = times
    case "--credentials":
      guard let file = value() else { return false }
      credentials = file
    case "--include", "-i": include = true
    case "--follow", "-L": follow = true
    default: return audience.take(option, value)
    }
    return true
  }

  mutating func take(argument: String) -> Bool {
    request.append(argument)
    return true
  }
}

extension AudienceOptions {
  fileprivate static var withDefaults: AudienceOptions {
    var options = AudienceOptions()
    (options.audience, options.scope) = (nil, nil)
    return options
  }

  fileprivate mutating func take(_ option: String, _ value: () -> String?) -> Bool {
    switch option {
    case "--audience":
      guard let name = value() else { return false }
      audience = name
    case "--scope":
      guard let words = value() else { return false }
      scope = words
    default: return false
    }
    return true
  }
}

extension StatusCommand: TableParsed {
  static var argumentCount: ClosedRange<Int> { 0...1 }

  static var withDefaults: StatusCommand {
    var command = StatusCommand()
    command.name = nil
    command.check = false
    return command
  }

  mutating func take(_ option: String, _ value: () -> String?) -> Bool {
    guard option == "--check" else { return false }
    check = true
    return true
  }

  mutating func take(argument: String) -> Bool {
    name = argument
    return true
  }
}

extension ListCommand: TableParsed {
  static var withDefaults: ListCommand { ListCommand() }
}

extension CompleteCommand: TableParsed {
  static var argumentCount: ClosedRange<Int> { 1...1 }

  static var withDefaults: CompleteCommand { CompleteCommand() }

  mutating func take(argument: String) -> Bool {
    guard let subject = Subject(rawValue: argument) else { return false }
    self.subject = subject
    return true
  }
}
