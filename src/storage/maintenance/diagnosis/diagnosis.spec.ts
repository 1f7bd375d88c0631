import { remedies } from './diagnosis.js';

test('a problem has commands to copy, and a passed check has none', () => {
  const detail = 'fsync, synchronous_commit off: acknowledged writes can be lost';
  expect(remedies({ check: 'durability', state: 'problem', detail })).toEqual([
    "psql -c 'alter system set fsync = on'",
    "psql -c 'alter system set synchronous_commit = on'",
    "psql -c 'select pg_reload_conf()'",
  ]);
  expect(remedies({ check: 'durability', state: 'ok', detail: '' })).toEqual([]);
  expect(remedies({ check: 'migrations', state: 'warning', detail: '0006 pending' })).toEqual(['coordination-apiserver migrate up']);
  expect(remedies({ check: 'migrations', state: 'problem', detail: '0099 from a newer version: use that version' })).toEqual([]);
  expect(remedies({ check: 'toString', state: 'problem', detail: '' })).toEqual([]);
});
