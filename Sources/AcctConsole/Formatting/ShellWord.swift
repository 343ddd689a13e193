import AcctModel

/// A command line of acct's, to be copied into a shell.
package func acctLine(_ words: [String]) -> String { (["acct"] + words).map(shellWord).joined(separator: " ") }

package func acctLine(_ words: String...) -> String { acctLine(words) }

/// A word as a POSIX shell reads it, with control characters escaped for the terminal: such a word can't be copied, and
/// was never entered.
package func shellWord(_ word: String) -> String { OutputFormat.shellWord.shown(word) }
