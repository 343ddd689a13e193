import Release
import AcctModel
import AcctProtocol
import Secrets
import StrictJSON

/// A row of the table of formats, and a reader of that format.
private typealias Row = (format: OutputFormat, read: @Sendable ([UInt8]) -> [UInt8]?)

private let rows: [Row] = [
  (.fieldName, { $0.contains(UInt8(ascii: ":")) ? nil : $0 }),
  (.fieldValue, { $0.first == 0x20 || $0.last == 0x20 ? nil : $0 }),
  (.line, { $0 }), (.variable, { $0.contains(0) ? nil : $0 }), (.xoauth2User, { $0 }),
  (.hyperlink, { $0.allSatisfy { (0x21...0x7E).contains($0) } ? $0 : nil }),
  (.json, OutputReaders.json), (.curl, OutputReaders.curl),
  (.curlCertificate, { OutputReaders.curl($0).flatMap(OutputReaders.certificate) }),
  (.label, OutputReaders.label), (.shellWord, OutputReaders.shellWord), (.saslName, OutputReaders.saslName),
  (.desktopArgument, OutputReaders.desktopArgument), (.connectionValue, OutputReaders.connectionValue),
]

/// The texts that are made of several values.
private let texts: [@Sendable ([UInt8], [UInt8]) -> String?] = [
  headerViolation, fileViolation, responseViolation, lineAnswerViolation, jsonAnswerViolation,
]

/// A value in a format that acct writes, or two in one of its texts: the first byte selects which, the second is the
/// number of bytes of the first value.
///
/// A value that is written is the one that a reader of the format gets, and it alone.
func outputsViolation(_ bytes: [UInt8]) -> String? {
  guard rows.count == OutputFormat.all.count else { return "a format without a reader" }
  guard bytes.count >= 2 else { return nil }
  let selected = Int(bytes[0]) % (rows.count + texts.count)
  let rest = bytes.dropFirst(2)
  guard selected >= rows.count else { return violation(of: rows[selected], Array(rest)) }
  let first = rest.prefix(Int(bytes[1]))
  return texts[selected - rows.count](Array(first), Array(rest.dropFirst(first.count)))
}

private func violation(of row: Row, _ value: [UInt8]) -> String? {
  let written = (try? row.format.written(Secret(value))).map(bytes)
  let text = String(validating: value, as: UTF8.self)
  let same = text.flatMap { try? row.format.written($0) }.map { Array($0.utf8) }
  guard written == same else { return "\(row.format.name): a secret that is written otherwise than a text" }
  if let text, case let shown = row.format.shown(text), !shown.isEmpty {
    guard row.read(Array(shown.utf8)) == Array(printable(text).utf8) else {
      return "\(row.format.name): a text that reads otherwise when shown"
    }
  }
  guard let written else {
    // Letters have a form everywhere.
    let isPlain = !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    return isPlain ? "\(row.format.name): a plain value that is refused" : nil
  }
  guard row.format.name == OutputFormat.variable.name || isOneLine(written) else {
    return "\(row.format.name): a control character"
  }
  return row.read(written) == value ? nil : "\(row.format.name): a value that reads otherwise when written"
}

/// `true` for text without control characters and separators of lines, also those of Unicode's second half.
private func isOneLine(_ text: [UInt8]) -> Bool {
  guard let text = String(validating: text, as: UTF8.self) else { return false }
  return text.unicodeScalars.allSatisfy { scalar in
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: false
    default: true
    }
  }
}

/// Two header lines, as `acct header` prints them.
@Sendable private func headerViolation(_ name: [UInt8], _ value: [UInt8]) -> String? {
  let fields = [HeaderField("Authorization", Secret(value)), HeaderField(text(name), Secret(value))]
  let expected = fields.map { Array("\($0.name): ".utf8) + value }
  if let lines = try? fields.lines() {
    guard bytes(lines) == Array(expected.map { $0 + [0x0A] }.joined()), isOneLine(expected[1]) else {
      return "other header lines"
    }
  }
  if let config = try? fields.curlConfig() {
    let options = OutputReaders.curlOptions(bytes(config))
    guard options?.map(\.name) == ["header", "header"], options?.map(\.parameter) == expected else {
      return "another config of curl"
    }
  }
  if fields[1].name != "Authorization", let map = try? fields.jsonMap() {
    let members = (try? JSON(parsing: bytes(map)))?.objectValue
    guard members?.names == fields.map(\.name), fields.allSatisfy({ members?[$0.name] == .string(text(value)) })
    else { return "another map of header lines" }
  }
  return nil
}

/// The lines of a config of curl for the files of a certificate.
@Sendable private func fileViolation(_ certificate: [UInt8], _ key: [UInt8]) -> String? {
  guard let certificate = String(validating: certificate, as: UTF8.self),
    let key = String(validating: key, as: UTF8.self),
    let config = try? ClientCertificate.Files(certificate: certificate, key: key).curlConfig()
  else { return nil }
  guard let options = OutputReaders.curlOptions(bytes(config)), options.map(\.name) == ["cert", "key"],
    OutputReaders.certificate(options[0].parameter) == Array(certificate.utf8), options[1].parameter == Array(key.utf8)
  else { return "other options of curl" }
  return nil
}

/// The responses of SASL.
@Sendable private func responseViolation(_ user: [UInt8], _ token: [UInt8]) -> String? {
  let secret = Secret(token)
  guard (try? Token(secret)) != nil, let user = String(validating: user, as: UTF8.self) else { return nil }
  let rest = [Array("auth=Bearer ".utf8) + token, [], []]
  for mechanism in SASLResponse.Mechanism.allCases {
    guard let response = try? SASLResponse(mechanism, user: user) else { continue }
    guard
      let parts = OutputReaders.base64(bytes(response.text(secret)))?.split(
        separator: 0x01,
        omittingEmptySubsequences: false
      ), parts.dropFirst().map(Array.init) == rest
    else { return "a response of other parts" }
    switch mechanism {
    case .xoauth2: guard Array(parts[0]) == Array("user=\(user)".utf8) else { return "a response for another user" }
    case .oauthbearer:
      let words = parts[0].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Array.init)
      guard words.count == 3, words[0] == Array("n".utf8), words[2].isEmpty, words[1].starts(with: "a=".utf8),
        OutputReaders.saslName(Array(words[1].dropFirst(2))) == Array(user.utf8)
      else { return "a response for another user" }
    }
  }
  return nil
}

func bytes(_ secret: Secret) -> [UInt8] { secret.withBytes { bytes in bytes.indices.map { bytes[$0] } } }
