import { describe, expect, it } from '@jest/globals';
import { databaseProblem } from './check-database.js';

describe('databaseProblem', () => {
  const good = { version: 140_000, encoding: 'UTF8', in_recovery: false, schema: 'public', may_create: true, user: 'u', database: 'd' };

  it('finds none with the oldest version that is supported', () => {
    expect(databaseProblem(good)).toBeUndefined();
  });

  it.each([
    [{ version: 130_017 }, 'PostgreSQL 13 is too old: 14 or newer is needed'],
    [{ encoding: 'SQL_ASCII' }, 'the database d has the encoding SQL_ASCII: UTF8 is needed'],
    [{ in_recovery: true }, 'the database is a standby: the server needs the primary'],
    [{ schema: null, may_create: null }, 'the database d has no schema that the search_path of u names'],
    [{ may_create: false }, 'the user u lacks the right to create tables in the schema public'],
  ])('names it: %j', (facts, problem) => {
    expect(databaseProblem({ ...good, ...facts })).toBe(problem);
  });
});
