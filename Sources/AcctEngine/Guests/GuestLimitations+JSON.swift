package import AcctModel
package import StrictJSON

extension GuestLimitations {
  /// The backend's object, in files and in the contract alike.
  package var json: JSON {
    ["maxEditsPerDay": .init(maxEditsPerDay), "featuresDisabled": .array(featuresDisabled.map { .string($0) })]
  }
}
