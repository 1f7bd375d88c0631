import { mentionsImpersonation, wantedUser } from './impersonation-headers.js';

describe('wantedUser', () => {
  it('keeps repeated groups and values separate, as sent', () => {
    const headers = [
      'Impersonate-User',
      'ann',
      'Impersonate-Group',
      'a,b',
      'impersonate-group',
      'c',
      'Impersonate-Extra-Scopes',
      'x',
      'Impersonate-Extra-Scopes',
      'y',
    ];
    expect(wantedUser(headers)).toMatchObject({ name: 'ann', uid: '', groups: ['a,b', 'c'], extra: { scopes: ['x', 'y'] } });
  });

  it('decodes the keys of extra values, and reads names as UTF-8', () => {
    const raw = [
      'Impersonate-User',
      Buffer.from('zoë').toString('latin1'),
      'Impersonate-Extra-Example.com%2fA',
      'x',
      'Impersonate-Extra-%zz',
      'y',
    ];
    expect(wantedUser(raw)).toMatchObject({ name: 'zoë', extra: { 'example.com/a': ['x'], '%zz': ['y'] } });
  });

  it('accepts extra keys that are JavaScript object properties', () => {
    const extra = wantedUser(['Impersonate-User', 'ann', 'Impersonate-Extra-__proto__', 'x', 'Impersonate-Extra-constructor', 'y'])?.extra;
    expect(Object.entries(extra ?? {})).toEqual([
      ['__proto__', ['x']],
      ['constructor', ['y']],
    ]);
  });

  it('returns undefined if the name is empty and nothing else is requested', () => {
    expect(wantedUser(['Impersonate-User', '', 'Accept', '*/*'])).toBeUndefined();
  });

  it.each([
    [['Impersonate-Group', 'dev'], 'Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)'],
    [['Impersonate-Uid', 'u'], 'Name:"", UID:"u", Groups:[]string(nil), Extra:map[string][]string(nil)'],
    [['Impersonate-Extra-a', 'b'], 'Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"b"}}'],
  ])('refuses %j without a name', (headers, dump) => {
    expect(() => wantedUser(headers)).toThrow(`requested &user.DefaultInfo{${dump}} without impersonating a user name`);
  });
});

describe('mentionsImpersonation', () => {
  it('recognizes every impersonation header and no other', () => {
    expect(mentionsImpersonation(['Accept', '*/*', 'Impersonate-Extra-x', 'y'])).toBe(true);
    expect(mentionsImpersonation(['accept', 'impersonate-user', 'if-match', 'x'])).toBe(false);
  });
});
