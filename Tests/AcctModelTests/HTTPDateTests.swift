import AcctModel
import Testing

@Suite("Dates in HTTP fields")
struct HTTPDateTests {
  @Test(
    "A date is read in each of the three forms of HTTP",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    ]
  )
  func forms(text: String) {
    #expect(HTTPDate.parse(text)?.secondsSince1970 == 784_111_777)
  }

  @Test("A date's year of two digits lies between 1970 and 2069")
  func shortYears() {
    #expect(HTTPDate.parse("Thursday, 01-Jan-70 00:00:00 GMT")?.secondsSince1970 == 0)
    #expect(HTTPDate.parse("Friday, 15-Jan-27 08:00:00 GMT")?.secondsSince1970 == 1_800_000_000)
    #expect(
      HTTPDate.parse("Tuesday, 31-Dec-69 23:59:59 GMT")?.description.hasPrefix("2069") == true
    )
  }

  @Test(
    "A text in any other form is not a date",
    arguments: [
      "", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT", "06 Nov 1994 08:49:37 GMT",
      "Nix, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT", "Sun, 06 Nov +994 08:49:37 GMT",
      "Sun, +6 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
    ]
  )
  func other(text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }
}
