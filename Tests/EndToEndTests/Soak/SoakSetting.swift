import Glibc

/// A number that the environment gives a soak; `nil` without one.
func soakSetting<Number: FixedWidthInteger>(_ variable: String) -> Number? {
  unsafe getenv(variable).flatMap { Number(unsafe String(cString: $0)) }
}
