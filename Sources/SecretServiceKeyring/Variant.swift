import CLibSecret

/// A D-Bus value: an owned reference to a `GVariant`.
///
/// An answer's type is compared as a whole before it is taken apart (see ``Call``), so that the
/// accessors below are used only on what they fit.
@safe final class Variant {
  let pointer: OpaquePointer

  /// Owns a value; GLib makes new ones "floating", without an owner, and they are taken over.
  init(_ pointer: OpaquePointer) { unsafe self.pointer = g_variant_take_ref(pointer) }

  deinit { unsafe g_variant_unref(pointer) }

  /// The D-Bus signature.
  var type: String { unsafe String(cString: g_variant_get_type_string(pointer)) }

  /// The elements of an array, a structure, a dictionary entry or a variant.
  var children: [Variant] {
    unsafe (0..<g_variant_n_children(pointer)).map { index in
      unsafe Variant(g_variant_get_child_value(pointer, index))
    }
  }

  /// A string or an object path.
  var text: String { unsafe String(cString: g_variant_get_string(pointer, nil)) }

  /// A boolean.
  var isTrue: Bool { unsafe g_variant_get_boolean(pointer) != 0 }

  /// An unsigned number of 64 bits.
  var number: UInt64 { unsafe UInt64(g_variant_get_uint64(pointer)) }
}

extension Variant {
  static func string(_ text: String) -> Variant {
    unsafe Variant(g_variant_new_string(text))
  }

  static func path(_ path: String) -> Variant { unsafe Variant(g_variant_new_object_path(path)) }

  static func boolean(_ value: Bool) -> Variant {
    unsafe Variant(g_variant_new_boolean(value ? 1 : 0))
  }

  static func variant(_ value: Variant) -> Variant {
    unsafe Variant(g_variant_new_variant(value.pointer))
  }

  static func structure(_ members: Variant...) -> Variant {
    var pointers = unsafe members.map { member in unsafe Optional(member.pointer) }
    return unsafe Variant(g_variant_new_tuple(&pointers, gsize(members.count)))
  }

  static func paths(_ paths: [String]) -> Variant { array(of: "o", paths.map(path)) }

  /// A dictionary of strings, `a{ss}`.
  static func strings(_ members: KeyValuePairs<String, String>) -> Variant {
    array(of: "{ss}", members.map { key, value in entry(key, string(value)) })
  }

  /// A dictionary of values, `a{sv}`.
  static func values(_ members: KeyValuePairs<String, Variant>) -> Variant {
    array(of: "{sv}", members.map { key, value in entry(key, variant(value)) })
  }

  private static func entry(_ key: String, _ value: Variant) -> Variant {
    let key = string(key)
    return unsafe Variant(g_variant_new_dict_entry(key.pointer, value.pointer))
  }

  private static func array(of type: String, _ elements: [Variant]) -> Variant {
    let type = unsafe g_variant_type_new(type)
    defer { unsafe g_variant_type_free(type) }
    var pointers = unsafe elements.map { element in unsafe Optional(element.pointer) }
    return unsafe Variant(g_variant_new_array(type, &pointers, gsize(elements.count)))
  }
}
