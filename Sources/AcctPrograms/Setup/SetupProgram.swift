/// A program whose settings acct can change so that it asks acct for credentials.
package enum SetupProgram: String, CaseIterable, Hashable, Sendable {
  case git, docker, kubectl, cargo, go, pip, terraform, aws
}
