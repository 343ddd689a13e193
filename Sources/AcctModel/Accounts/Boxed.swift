/// A value that is kept in an object of its own, so that a copy of what has it is one reference.
///
/// For a part of a large value that most of its users only pass on: the compiler writes code for each member at every
/// place that copies the whole.
@propertyWrapper
package indirect enum Boxed<Value> {
  case value(Value)

  package init(wrappedValue: Value) { self = .value(wrappedValue) }

  package var wrappedValue: Value {
    get {
      switch self {
      case .value(let value): value
      }
    }
    set { self = .value(newValue) }
  }
}

extension Boxed: Sendable where Value: Sendable {}
extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}
