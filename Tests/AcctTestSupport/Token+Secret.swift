package import Release
package import Secrets

extension Token {
  /// The characters, as a test looks at them.
  package var secret: Secret { opened(for: .comparison) }
}
