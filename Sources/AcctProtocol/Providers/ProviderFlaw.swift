package import AcctModel
package import StrictJSON

/// Why a provider's file can't be used: the member, and its problem.
///
/// No case carries a value of the file but the host of an address.
package struct ProviderFlaw: Error, Equatable, Sendable {
  /// The member's path, such as `endpoints.token`; empty for the file as a whole.
  package let member: String
  package let problem: Problem

  package init(_ member: String, _ problem: Problem) {
    self.member = member
    self.problem = problem
  }

  /// The problem with a member, or with the file as a whole.
  package enum Problem: Error, Equatable, Sendable {
    case json(JSONError)
    /// There is no such member; a misspelled one would be ignored unseen.
    case unknownMember
    case missing
    /// Another type than the one named.
    case wrongType(Expected)
    /// None of these words.
    case notOneOf([String])
    /// More bytes or elements than this.
    case tooLong(limit: Int)
    /// Characters that change or hide text on a screen.
    case unprintable
    case malformed
    /// An address that no credential may be sent to.
    case refused(ParseError.Refusal)
    /// An endpoint of another host than the provider's own, which is named here.
    case foreignHost(String)
    /// A placeholder that is not known, or that stands where it can't.
    case placeholder
    /// A parameter that the protocol has a meaning for.
    case ownParameter
  }

  /// A type of JSON.
  package enum Expected: String, Sendable { case object, array, string, boolean }
}
