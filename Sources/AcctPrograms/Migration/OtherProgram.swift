/// A program that keeps credentials of its own, which acct can take over.
package enum OtherProgram: String, CaseIterable, Hashable, Sendable {
  case gh, glab, git, netrc, docker, cargo
  case oidcAgent = "oidc-agent"
}
