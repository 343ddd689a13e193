/// SIGINT, SIGTERM and SIGHUP: Ctrl-C, a request to end, a closed terminal.
package struct Signals: Sendable {
  /// Holds them back until the returned value is released; then one that came takes effect.
  package var holdBack: @Sendable () -> HeldSignals
  /// Calls `action` once when one of them comes, until the returned value is released.
  package var watch: @Sendable (_ action: @escaping @Sendable () -> Void) -> HeldSignals

  package init(
    holdBack: @escaping @Sendable () -> HeldSignals,
    watch: @escaping @Sendable (_ action: @escaping @Sendable () -> Void) -> HeldSignals
  ) {
    self.holdBack = holdBack
    self.watch = watch
  }
}

/// Signals that don't take their default effect for now.
package struct HeldSignals: Sendable {
  package let release: @Sendable () -> Void

  package init(release: @escaping @Sendable () -> Void) { self.release = release }
}
