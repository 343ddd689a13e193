import CLinux

/// The mode of a terminal while a question waits for its answer.
///
/// No other file calls `acct_prompt_…`, and none of this is inlined into another file's code: each file whose code has
/// those functions has a state of its own.
package enum PromptMode {
  /// Turns the signal keys off, and the echo for a secret.
  ///
  /// - Returns: `false`, with errno set, if the terminal can't do that.
  @inline(never) static func begin(_ terminal: Int32, isSecret: Bool) -> Bool {
    acct_prompt_begin(terminal, isSecret ? 1 : 0) == 0
  }

  /// Restores the terminal and its signals.
  @inline(never) static func end() { acct_prompt_end() }

  /// `true` until the end, or until a signal has restored the terminal.
  static var isActive: Bool { @inline(never) get { acct_prompt_is_active() != 0 } }

  /// Restores the terminal before the process ends, if a question still waits.
  @inline(never) package static func restore() { acct_prompt_restore() }
}
