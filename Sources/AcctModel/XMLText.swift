package import Secrets

/// The text of an element of XML that has no other elements in it.
package struct XMLText: Sendable {
  /// The names from the root to the element, with `/` between them and as they are written, such as `a/b`.
  package var path: String
  /// The text, with the references to characters replaced.
  ///
  /// It may be a secret.
  package var text: Secret

  package init(path: String, text: Secret) {
    self.path = path
    self.text = text
  }
}
