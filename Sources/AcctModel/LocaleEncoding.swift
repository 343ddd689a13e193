/// Returns `true` if the locale's character encoding is UTF-8, by the order of POSIX's variables.
///
/// - Parameter variable: Returns an environment variable, and `nil` for one that is empty.
/// - Returns: `false` in the C locale, which is also the default without any variable.
package func localeIsUTF8(_ variable: (_ name: String) -> String?) -> Bool {
  let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first ?? ""
  let encoding = locale.drop { $0 != "." }.dropFirst().prefix { $0 != "@" }
  return ["utf-8", "utf8"].contains(encoding.lowercased())
}
