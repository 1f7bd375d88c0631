import { parseTokenFile, TokenFileError } from './token-file.js';

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
