import Release
import Secrets

extension Token {
  /// The characters, as a target compares them.
  var secret: Secret { opened(for: .comparison) }
}

extension RefreshToken {
  var secret: Secret { opened(for: .comparison) }
}
