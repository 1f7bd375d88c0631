import { fromMicros, parseMicroTime, parseTime } from './go-time.js';

const MICRO = '2006-01-02T15:04:05.000000Z07:00';
const SECOND = '2006-01-02T15:04:05Z07:00';

describe('times', () => {
  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.999999999Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T3:04:05+02:30', '2026-01-02T00:34:05Z'],
    ['2024-02-29T23:59:59-00:01', '2024-03-01T00:00:59Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ])('reads %s as %s', (text, canonical) => {
    expect(parseTime(text)).toBe(canonical);
  });

  it.each([
    ['2026-01-02T03:04:05.000006Z', '2026-01-02T03:04:05.000006Z'],
    ['2026-01-02T03:04:05,123456+05:00', '2026-01-01T22:04:05.123456Z'],
    ['2026-12-31T23:59:59.999999-24:00', '2027-01-01T23:59:59.999999Z'],
  ])('reads the micro time %s as %s', (text, canonical) => {
    expect(parseMicroTime(text)).toBe(canonical);
  });

  it.each([
    ['', `as "${MICRO}": cannot parse "" as "2006"`],
    ['yesterday', `as "${MICRO}": cannot parse "yesterday" as "2006"`],
    ['2026-01-02T03:04:05Z', `as "${MICRO}": cannot parse "Z" as ".000000"`],
    ['2026-01-02T03:04:05.12Z', `as "${MICRO}": cannot parse ".12Z" as ".000000"`],
    ['2026-01-02T03:04:05.1234567Z', `as "${MICRO}": cannot parse "7Z" as "Z07:00"`],
    ['2026-01-02 03:04:05.123456Z', `as "${MICRO}": cannot parse " 03:04:05.123456Z" as "T"`],
  ])('refuses the micro time %j', (text, problem) => {
    expect(() => parseMicroTime(text)).toThrow(`parsing time "${text}" ${problem}`);
  });

  it.each([
    ['2026-13-02T03:04:05Z', ': month out of range'],
    ['2023-02-29T03:04:05Z', ': day out of range'],
    ['2026-01-02T24:04:05Z', ': hour out of range'],
    ['2026-01-02T03:04:60Z', ': second out of range'],
    ['2026-01-02T03:04:05+25:00', ': time zone offset hour out of range'],
    ['2026-01-02T03:04:05Zx', ': extra text: "x"'],
    ['20a6-01-02T03:04:05Z', ` as "${SECOND}": cannot parse "20a6-01-02T03:04:05Z" as "2006"`],
    ['2026-01-02T03:04:05', ` as "${SECOND}": cannot parse "" as "Z07:00"`],
  ])('refuses the time %j', (text, problem) => {
    expect(() => parseTime(text)).toThrow(`parsing time "${text}"${problem}`);
  });

  it('escapes bytes that are not ASCII in hexadecimal', () => {
    expect(() => parseTime('"é')).toThrow('parsing time "\\"\\xc3\\xa9" as');
  });

  it('shows the beginning of a long text', () => {
    const message = (text: string): string => {
      try {
        return parseTime(text);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message('é'.repeat(1_000_000))).toHaveLength(65_611);
    expect(message(`2026-01-02T03:04:05Z${'x'.repeat(1_000_000)}`)).toMatch(/: extra text: "x{4096}…"$/);
  });

  it('formats MicroTimes canonically', () => {
    expect(fromMicros(1_767_323_045_000_006)).toBe('2026-01-02T03:04:05.000006Z');
  });
});
