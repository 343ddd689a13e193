package import StrictJSON

/// An object of the contract with its version, which every object on standard output and standard error begins with.
package func envelope(_ members: KeyValuePairs<String, JSON>) -> JSONObject {
  var object: JSONObject = ["version": 1]
  for (name, value) in members { object[name] = value }
  return object
}
