/// Names under which a reader can tell the holders apart.
///
/// A name whose skeleton is no other's stays as it is. All others get a number, in the order of their identifiers, so
/// that each machine shows the same: `build-1`, `build-2`. A number that would make a name look like another of the
/// list is left out. A new holder may shift the numbers: a choice that matters is made by identifier.
///
/// - Parameters:
///   - names: The holders; of an identifier that is there twice the first entry counts.
///   - reserved: Names that no holder may have without a number.
/// - Returns: The name of each identifier. It is not yet safe to show: see ``printableASCII(_:)``.
package func distinctNames(
  _ names: [(id: String, name: String)],
  besides reserved: [String] = []
) -> [String: String] {
  let named = Dictionary(names.map { ($0.id, $0.name) }) { first, _ in first }
  let alike = Dictionary(grouping: named) { NameSkeleton($0.value) }
  let reserved = reserved.map(NameSkeleton.init)
  var distinct = named
  for (skeleton, holders) in alike where holders.count > 1 || reserved.contains(skeleton) {
    var number = 0
    for (id, name) in holders.sorted(by: { $0.key < $1.key }) {
      // Names of other skeletons get other results, since the number behind the last hyphen has none.
      var numbered: String
      repeat {
        number += 1
        numbered = "\(name)-\(number)"
      } while alike[NameSkeleton(numbered)] != nil || reserved.contains(NameSkeleton(numbered))
      distinct[id] = numbered
    }
  }
  return distinct
}
