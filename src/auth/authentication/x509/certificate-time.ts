import { type DerElement, DerError } from './der-reader.js';

const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
/** Date and time with the digits of the year that the type has, and the zone. */
const FORMAT = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:Z|([+-])(\d{2})(\d{2}))$/;

/** Reads a UTCTime or GeneralizedTime, in milliseconds. Throws DerError for fractions of seconds and for dates that do not exist. */
export function readTime({ tag, content }: DerElement): number {
  const text = content.toString('latin1');
  const [, digits = '', month, day, hour, minute, second, sign, hours = '0', minutes = '0'] = FORMAT.exec(text) ?? [];
  if (digits.length !== { [UTC_TIME]: 2, [GENERALIZED_TIME]: 4 }[tag]) throw new DerError('expected a time');
  const year = digits.length === 4 ? Number(digits) : Number(digits) + (Number(digits) < 50 ? 2000 : 1900);
  const iso = `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`;
  const local = Date.parse(`${iso}Z`);
  // Date.parse rejects most impossible dates, and takes 31 February for 3 March and 24:00 for the next day.
  if (Number.isNaN(local) || new Date(local).toISOString() !== `${iso}.000Z`) throw new DerError('expected a time');
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? local + offset : local - offset;
}
