/// The curve P-256 (FIPS 186-4, D.1.2.3).
enum P256 {
  /// The bytes of a scalar, and of each coordinate of a point.
  static let coordinateCount = 32
  /// The bytes of an uncompressed point: 0x04, x, y (SEC 1, section 2.3.3).
  static let pointCount = 1 + 2 * coordinateCount
}
