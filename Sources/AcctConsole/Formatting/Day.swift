import AcctModel

/// The day of a time in seconds since 1970, in UTC: `2027-01-15`.
package func day(_ seconds: Int64) -> String { String(Timestamp(clamped: seconds).description.prefix(10)) }
