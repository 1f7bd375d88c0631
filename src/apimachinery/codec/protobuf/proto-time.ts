/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar (Howard Hinnant's days_from_civil). */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468;
}

/** Seconds since 1970 of a canonical time. */
export function secondsOf(text: string): number {
  const pair = (at: number) => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
  const days = daysFromCivil(pair(0) * 100 + pair(2), pair(5), pair(8));
  return days * 86400 + pair(11) * 3600 + pair(14) * 60 + pair(17);
}

/** Seconds of the first and last time that canonical text can represent: the years 0 to 9999. */
const FIRST = -62167219200;
const LAST = 253402300799;

/** Formats a date and time without fraction and zone: `2006-01-02T15:04:05`. Undefined outside the years 0 to 9999. */
export function civilText(seconds: number): string | undefined {
  if (seconds < FIRST || seconds > LAST) return undefined;
  const days = Math.floor(seconds / 86400);
  const rest = seconds - days * 86400;
  return `${dateText(days)}T${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
}

/** The date of a day number, counted from 1970-01-01 (Howard Hinnant's civil_from_days). */
function dateText(days: number): string {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36524) + Math.floor(dayOfEra / 146096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${year < 1000 ? String(year).padStart(4, '0') : year}-${two(month)}-${two(day)}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}
