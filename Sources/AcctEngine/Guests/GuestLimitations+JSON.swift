package import AcctModel
package import StrictJSON

extension GuestLimitations {
  /// The object that a backend told, in files and in the contract alike.
  package var json: JSON {
    [
      "maxEditsPerDay": .init(maxEditsPerDay),
      "featuresDisabled": .array(featuresDisabled.map { .string($0) }),
    ]
  }
}
