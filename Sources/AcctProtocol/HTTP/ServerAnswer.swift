package import AcctModel
package import Secrets
package import StrictJSON
import Text

/// A server's answer to a call of acct's own, as far as it tells the result of the call.
package final class ServerAnswer: Sendable {
  package let status: Int
  /// The body, if it is a JSON object or a form, whatever its media type says.
  package let object: JSONObject?
  /// `true` if it is a form.
  private let isForm: Bool
  private let isMarkedAsJSON: Bool
  private let body: Secret
  private let retryAfter: RetryAfter?
  private let date: String?
  private let location: String?
  private let redactor: Redactor

  /// Reads an answer.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - contentType: The media type, parameters and all.
  ///   - retryAfter: The field's value.
  ///   - date: The field's value.
  ///   - location: The field's value.
  ///   - body: The body.
  ///   - redactor: Takes secrets out of the server's words for people.
  package init(
    status: Int,
    contentType: String?,
    retryAfter: String? = nil,
    date: String? = nil,
    location: String? = nil,
    body: Secret,
    redacting redactor: Redactor
  ) {
    self.redactor = redactor
    self.status = status
    self.retryAfter = RetryAfter(retryAfter)
    self.date = date
    self.location = location
    self.body = body
    isMarkedAsJSON = contentType.isJSON
    let json = body.withBytes { span in span.isJSONObject ? try? JSON(parsing: span) : nil }
    let form = json == nil ? body.withBytes(formMembers) : nil
    object = json?.objectValue ?? form
    isForm = form != nil
  }

  /// The members of a 2xx answer that grants something; `nil` for any other status, and for a body that has no members.
  ///
  /// A body that can't be read strictly is read leniently here, and nowhere else: what the request has spent, such as a
  /// refresh token or a code, exists only in this answer by now.
  package var grant: GrantMembers? {
    guard isSuccess else { return nil }
    let serverTime = date.flatMap(HTTPDate.parse)
    if let object {
      return GrantMembers(object, isForm ? [.form] : isMarkedAsJSON ? [] : [.mediaType], at: serverTime)
    }
    let json = body.withBytes { span in span.isJSONObject ? try? JSON(leniently: span) : nil }
    return json?.objectValue.map { GrantMembers($0, [.malformed], at: serverTime) }
  }

  /// `true` if its body can be read.
  package var hasMembers: Bool { object != nil }

  /// `true` for 200, 201 and the others of their class.
  package var isSuccess: Bool { (200..<300).contains(status) }

  /// Its meaning if it does not answer the call.
  package var noAnswer: NoAnswer {
    switch status {
    case 429: .limited(retryAfter: retryAfter)
    case 500...: .serverFailed(status: status, retryAfter: retryAfter)
    case 300..<400: .failed(.redirected(to: location.map(redactor.redact)))
    case 200..<300 where object == nil: .failed(.notJSON(status: status))
    default:
      .failed(
        errorCode.map { .refused(code: $0, description: description, status: status) } ?? .unexplained(status: status)
      )
    }
  }

  /// `true` if a server that takes pushed requests rejects this one in a way that says nothing of the same request in a
  /// browser (RFC 9126, section 2.3): the endpoint is not there, or is not for this client.
  ///
  /// The server would reject the client, or what it requests, in a browser as well, on a page that no program sees;
  /// and a browser sends no proof.
  package var refusesPushedRequest: Bool {
    guard (400..<500).contains(status), status != 429 else { return false }
    guard let errorCode else { return true }
    return refusedPart == nil && !["use_dpop_nonce", "invalid_dpop_proof"].contains(errorCode)
  }

  /// `true` if a registration endpoint refuses what the client is to be like (RFC 7591, section 3.2.2).
  package var refusesMetadata: Bool { status == 400 && errorCode == "invalid_client_metadata" }

  /// The part of the request that it refuses, if it names one.
  package var refusedPart: RefusedPart? { errorCode.flatMap(RefusedPart.init) }

  /// The server's words without a secret in them: the only way to any of its text.
  package func text(_ member: String) -> String? { object?[member]?.stringValue.map(shown) }

  /// Removes secrets from text of the server that was found otherwise.
  package func shown(_ text: String) -> String { redactor.redact(text) }
}

/// An answer that does not answer the call, and so changes no credential.
package enum NoAnswer: Equatable, Sendable {
  /// 429, with its `Retry-After` if that can be read.
  case limited(retryAfter: RetryAfter?)
  /// 5xx, with its `Retry-After` if that can be read.
  case serverFailed(status: Int, retryAfter: RetryAfter?)
  /// Anything else that was not expected.
  case failed(OAuthError)
}

extension String? {
  /// `true` for the media type of JSON, with or without parameters.
  package var isJSON: Bool { essence == "application/json" }

  /// `true` for a media type in which DID documents come: JSON's, or one of DID Core's own (section 6), as other
  /// resolvers of the AT Protocol want it.
  package var isDIDDocument: Bool {
    isJSON || essence == "application/did+ld+json" || essence == "application/did+json"
  }

  private var essence: String {
    let type = self?.split(separator: ";").first?.lowercased() ?? ""
    return type.split(separator: " ").first.map(String.init) ?? ""
  }
}

/// When a server accepts another request: the value of `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter: Equatable, Sendable {
  /// So many seconds after the answer; 0 or more.
  case seconds(Int64)
  /// At this time, by the server's clock.
  case date(Timestamp)
  /// So many seconds after the answer, when its limit is reset: the server did not ask for a wait.
  case reset(Int64)

  /// Reads the field's value; `nil` unless it is a number of seconds or an HTTP date.
  package init?(_ value: String?) {
    guard let value else { return nil }
    if !value.isEmpty, value.utf8.allSatisfy(\.isASCIIDigit) {
      self = .seconds(Int64(value) ?? .max)
    } else if let date = HTTPDate.parse(value) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// The same in seconds from `now`, instead of a date.
  package func counted(from now: Timestamp) -> RetryAfter {
    if case .date = self { .seconds(seconds(from: now)) } else { self }
  }

  /// Seconds from `now`; 0 where the time has come.
  package func seconds(from now: Timestamp) -> Int64 {
    switch self {
    case .seconds(let seconds), .reset(let seconds): seconds
    case .date(let date): max(0, date.seconds(since: now))
    }
  }
}

/// The error in an answer, where RFC 6749 has it (section 5.2) and where other servers do.
extension ServerAnswer {
  /// `true` for an answer with an error code where it belongs, whatever its status: GitHub answers errors with 200.
  package var isError: Bool { text("error")?.isEmpty == false }

  /// The code of the error, cut to a length that can be stored; of a refusal without one, its description.
  package var errorCode: String? {
    (code ?? (isSuccess ? nil : reason)).map { String($0.prefix(200)) }
  }

  /// The server's description of the error, in a sentence; `nil` where that stands for the code.
  var description: String? { code == nil ? nil : reason.map { String($0.prefix(300)) } }

  /// `true` if it describes its error, and has no code.
  var hasDescriptionAlone: Bool { code == nil && reason != nil }

  private var code: String? {
    guard !isError else { return text("error") }
    return first(of: Self.nestedCodes, else: isSuccess ? Self.codes : Self.codesOfRefusals)
  }

  private var reason: String? {
    let standard = text("error_description")
    guard standard?.isEmpty ?? true else { return standard }
    return isError
      ? first(of: [], else: Self.descriptions + ["reason"])
      : first(of: Self.nestedDescriptions, else: Self.descriptions)
  }

  private static let codes = ["errorCode", "error_code", "errorType", "code"]
  /// The last is a word of success in other answers.
  private static let codesOfRefusals = codes + ["status"]
  private static let nestedCodes = ["error", "errorType", "errorCode", "code", "type", "status"]
  private static let descriptions = [
    "errorSummary", "errorMessage", "error_message", "message", "msg", "detail",
  ]
  private static let nestedDescriptions = ["error_description", "message", "description", "detail", "title"]

  /// A text of the object in `error`, or of the first in `errors`, else of the answer itself.
  private func first(of nested: [String], else names: [String]) -> String? {
    let errors = [object?["error"]?.objectValue, object?["errors"]?.arrayValue?.first?.objectValue].compactMap(\.self)
    for (object, names) in errors.map({ ($0, nested) }) + [(object, names)] {
      for name in names {
        if let text = object?[name]?.stringValue, !text.isEmpty { return shown(text) }
      }
    }
    return nil
  }
}
