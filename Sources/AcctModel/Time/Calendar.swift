// The proleptic Gregorian calendar in whole days, after Howard Hinnant's "chrono-Compatible
// Low-Level Date Algorithms": years begin in March, so that the leap day comes last.

/// Days from 1970-01-01 to a civil date.
func days(fromCivil year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  let shifted = month <= 2 ? year - 1 : year
  let (era, yearOfEra) = shifted.flooredQuotientAndRemainder(by: 400)
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/// The civil date of a day counted from 1970-01-01.
func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(by: 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}

/// The length of a month.
func daysIn(month: Int64, year: Int64) -> Int64 {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

extension Int64 {
  func flooredQuotientAndRemainder(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
