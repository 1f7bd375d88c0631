import { StaticTokens, TokenFileError, parseTokenFile } from './static-tokens.js';

const OWN = ['here', 'also here'];
const entry = (token: string, name: string) => ({ token, user: { name, uid: '', groups: [], extra: {} } });

describe('StaticTokens', () => {
  it('finds the user of a token; the last entry with a token applies', () => {
    const tokens = new StaticTokens([entry('t', 'ann'), entry('u', 'bob'), entry('t', 'eve')], OWN);
    for (let n = 0; n < 2; n++) {
      expect(tokens.authenticateToken('t', OWN)).toMatchObject({ user: { name: 'eve', groups: ['system:authenticated'] }, audiences: OWN });
      expect(tokens.authenticateToken('u', OWN)?.user.name).toBe('bob');
      expect(tokens.authenticateToken('T', OWN)).toBeUndefined();
    }
  });

  it('returns the same user object each time, so that nothing is allocated per request', () => {
    const tokens = new StaticTokens([entry('t', 'ann')], OWN);
    expect(tokens.authenticateToken('t', OWN)).toBe(tokens.authenticateToken('t', OWN));
  });

  it('accepts a token only for its audiences', () => {
    const tokens = new StaticTokens([entry('t', 'ann')], OWN);
    for (let n = 0; n < 2; n++) {
      expect(tokens.authenticateToken('t', ['there', 'also here'])?.audiences).toEqual(['also here']);
      expect(tokens.authenticateToken('t', ['there'])).toBeUndefined();
    }
  });

  it('forgets a cached token when it is removed', () => {
    const tokens = new StaticTokens([entry('t', 'ann')], OWN);
    expect(tokens.authenticateToken('t', OWN)?.user.name).toBe('ann');
    tokens.replace([entry('u', 'ann')]);
    expect(tokens.authenticateToken('t', OWN)).toBeUndefined();
    tokens.replace([entry('t', 'bob')]);
    expect(tokens.authenticateToken('t', OWN)?.user.name).toBe('bob');
  });
});

describe('parseTokenFile', () => {
  it('reads token, user, uid and quoted groups', () => {
    expect(parseTokenFile('t1,alice,u1,"dev,ops"\nt2,bob,u2\n')).toEqual([
      { token: 't1', user: { name: 'alice', uid: 'u1', groups: ['dev', 'ops'], extra: {} } },
      { token: 't2', user: { name: 'bob', uid: 'u2', groups: [], extra: {} } },
    ]);
  });

  it('accepts a single group without quotes, and skips empty lines', () => {
    expect(parseTokenFile('\nt1,admin,u1,system:masters\r\n\n')[0]?.user.groups).toEqual(['system:masters']);
  });

  it.each(['t1,alice', ',alice,u1', 't1,"alice,u1'])('refuses %s', (line) => {
    expect(() => parseTokenFile(line)).toThrow(TokenFileError);
  });
});
