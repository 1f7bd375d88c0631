import { describe, expect, it } from '@jest/globals';
import { parseLabelSelector } from './label-selector.js';

const matches = (selector: string, labels: Record<string, string>) => parseLabelSelector(selector).matches(labels);

describe('label selectors', () => {
  it('select everything when empty', () => {
    expect(parseLabelSelector('').isEmpty).toBe(true);
    expect(parseLabelSelector(' ').isEmpty).toBe(true);
    expect(parseLabelSelector('').matches(undefined)).toBe(true);
  });

  it('match values, keys and the absence of keys', () => {
    expect(matches('app=web,tier', { app: 'web', tier: '' })).toBe(true);
    expect(matches('app == web', { app: 'db' })).toBe(false);
    expect(matches('!app', {})).toBe(true);
    expect(matches('app', { toString: 'x' })).toBe(false);
    expect(matches('constructor', {})).toBe(false);
    expect(parseLabelSelector('app').matches(undefined)).toBe(false);
  });

  it('match objects without the key in != and notin', () => {
    for (const selector of ['app!=web', 'app notin (web,db)']) {
      expect(matches(selector, {})).toBe(true);
      expect(matches(selector, { app: 'web' })).toBe(false);
      expect(matches(selector, { app: 'x' })).toBe(true);
    }
  });

  it('treat a missing item of a set as the empty value', () => {
    expect(matches('app in ()', { app: '' })).toBe(true);
    expect(matches('app in (,web)', { app: 'web' })).toBe(true);
    expect(matches('app in (web,)', { app: '' })).toBe(true);
    expect(matches('app=', { app: '' })).toBe(true);
  });

  it('compare integers, and nothing else', () => {
    expect(matches('n>4', { n: '07' })).toBe(true);
    expect(matches('n<4', { n: '4' })).toBe(false);
    expect(matches('n>4', { n: 'x' })).toBe(false);
    expect(matches('n>9007199254740992', { n: '9007199254740993' })).toBe(true);
  });

  it('treat in and notin as operators only after a key', () => {
    expect(matches('in in (notin),notin notin (in)', { in: 'notin', notin: 'x' })).toBe(true);
  });

  it('have a canonical text', () => {
    expect(String(parseLabelSelector('z , a in (c,b,c),!q,b!=x,c>4'))).toBe('a in (b,c),b!=x,c>4,!q,z');
  });

  it("are refused with upstream's messages", () => {
    const refusals: Record<string, string> = {
      'in(in)': "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt",
      'n>': "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer",
      'n>99999999999999999999':
        "unable to parse requirement: values[0]: Invalid value: \"99999999999999999999\": for 'Gt', 'Lt' operators, the value must be an integer",
      'app=web tier=front': "found 'tier', expected: ',' or 'end of string'",
      ',': "found ',', expected: !, identifier, or 'end of string'",
      'app=web,': "found '', expected: identifier after ','",
      'app,,tier': "found ',', expected: identifier after ','",
      '!': "unable to parse requirement: found '', expected: identifier",
      '!app=web': "found '=', expected: ',' or 'end of string'",
      'app===web': "unable to parse requirement: found '=', expected: identifier",
      'app in (web': "unable to parse requirement: found '', expected: ',' or ')'",
      'app in (web,': "unable to parse requirement: found '', expected: ',', or identifier",
      'app in web': "unable to parse requirement: found 'web' expected: '('",
      'app in ((web))': "unable to parse requirement: found '(', expected: ',', ')' or identifier",
      'app in (-web,w!)': "unable to parse requirement: found '!', expected: ',' or ')'",
      '\udcff': `unable to parse requirement: <nil>: Invalid value: "\\xff": name part must consist of`,
      '/zone': 'unable to parse requirement: <nil>: Invalid value: "/zone": prefix part must be non-empty',
      [`a=${'x'.repeat(64)}`]: `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
    };
    for (const [text, message] of Object.entries(refusals)) expect(() => parseLabelSelector(text)).toThrow(message);
  });

  it('report every invalid value', () => {
    expect(() => parseLabelSelector('a in (-,+)')).toThrow(/^unable to parse requirement: \[values\[0\]\[a\]: .*, values\[1\]\[a\]: .*\]$/);
  });
});
