import { compareVersions, parseSemanticVersion, parseTolerantVersion } from './semantic-version.js';

const compare = (a: string, b: string) => {
  const [left, right] = [parseSemanticVersion(a), parseSemanticVersion(b)];
  if (!left || !right) throw new Error('not a version');
  return Math.sign(compareVersions(left, right));
};

describe('semantic versions', () => {
  test.each(['0.0.0', '1.36.0', '1.36.0-alpha.1', '1.36.0-0a.-', '1.2.3+b.001', '1.2.3-rc+b', '18446744073709551615.0.0'])(
    '%s is valid',
    (text) => {
      expect(parseSemanticVersion(text)).toBeDefined();
    },
  );

  test.each([
    '',
    '1',
    '1.36',
    'v1.36.0',
    '01.36.0',
    '1.36.0.0',
    ' 1.36.0',
    '1.36.0-',
    '1.36.0-01',
    '1.36.0-a..b',
    '1.36.0+',
    'x',
    '18446744073709551616.0.0',
  ])('"%s" is invalid', (text) => {
    expect(parseSemanticVersion(text)).toBeUndefined();
  });

  test.each([
    ['v1.36', '1.36.0'],
    [' 1 ', '1.0.0'],
    ['01.036.00', '1.36.0'],
    ['v1.36.0-rc.1+b', '1.36.0-rc.1'],
  ])('"%s" is parsed tolerantly as %s', (text, meant) => {
    expect(parseTolerantVersion(text)).toEqual(parseSemanticVersion(meant));
  });

  test.each(['', 'x', '1.x', '1.36-rc', '1.2.3.4', 'vv1.2.3'])('"%s" cannot be parsed even tolerantly', (text) => {
    expect(parseTolerantVersion(text)).toBeUndefined();
  });

  test('numbers are ordered numerically, pre-releases before releases, and build metadata is ignored', () => {
    const ascending = [
      '1.9.0',
      '1.10.0-alpha',
      '1.10.0-alpha.1',
      '1.10.0-alpha.10',
      '1.10.0-alpha.b',
      '1.10.0-beta',
      '1.10.0',
      '1.10.1',
      '2.0.0',
    ];
    for (const [at, version] of ascending.entries()) {
      for (const [other, version2] of ascending.entries()) expect(compare(version, version2)).toBe(Math.sign(at - other));
    }
    expect(compare('1.0.0+a', '1.0.0+b')).toBe(0);
  });
});
