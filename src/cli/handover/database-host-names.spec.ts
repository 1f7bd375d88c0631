import { expect, test } from '@jest/globals';
import { databaseHostNames } from './database-host-names.js';

test.each([
  ['postgresql://u:p@db.example.org:5432/leases', ['db.example.org']],
  ['postgresql://u:p%40x@one:5432,two:5433/leases?sslmode=require', ['one', 'two']],
  ['postgresql://u@[fd00::5]:5432/leases', ['fd00::5']],
  ['postgresql://u@10.96.3.4/leases', ['10.96.3.4']],
  ['postgresql:///leases?host=db.data.svc', ['db.data.svc']],
  ['postgresql:///leases?host=/run/postgresql', []],
  ['postgresql://u@%2Frun%2Fpostgresql/leases', []],
  ['postgresql:///leases', []],
])('%s names %j', (url, hosts) => {
  expect(databaseHostNames(url, {})).toEqual(hosts);
});

test('without a URL the hosts are those of PGHOST', () => {
  expect(databaseHostNames('', { PGHOST: 'one,two' })).toEqual(['one', 'two']);
  expect(databaseHostNames('', { PGHOST: '/run/postgresql' })).toEqual([]);
  expect(databaseHostNames('', {})).toEqual([]);
});
