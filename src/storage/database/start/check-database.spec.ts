import { describe, expect, it } from '@jest/globals';
import { databaseProblem } from './check-database.js';

describe('databaseProblem', () => {
  const good = {
    version: 140_000,
    encoding: 'UTF8',
    in_recovery: false,
    schema: 's',
    may_create: true,
    may_create_schema: true,
    has_tables_schema: false,
    foreign: false,
    lost: null,
    stranger: null,
    creators: null,
    keywords: ['user', 'between'],
    user: 'u',
    database: 'd',
  };

  it('finds no problem with the oldest supported version', () => {
    expect(databaseProblem(good)).toBeUndefined();
  });

  it.each([
    [{ version: 130_017 }, 'PostgreSQL 13 is too old: version 14 or newer is required'],
    [{ encoding: 'SQL_ASCII' }, 'the database d has the encoding SQL_ASCII: UTF8 is required'],
    [{ in_recovery: true }, 'the database is a standby: the server needs the primary'],
    [
      { may_create: null, may_create_schema: false },
      'the user u lacks the privilege to create the schema s and s_tables in the database d: run "create schema s authorization u; create schema s_tables authorization u" there, or choose another schema with --database-schema',
    ],
    [
      { may_create_schema: false },
      'the user u lacks the privilege to create the schema s_tables in the database d: run "create schema s_tables authorization u" there, or choose another schema with --database-schema',
    ],
    [
      { schema: 'x'.repeat(57) },
      `the name of the schema ${'x'.repeat(57)} is too long: choose one of at most 56 bytes with --database-schema`,
    ],
    [
      { may_create: false },
      'the user u lacks the privilege to create tables in the schema s: run "grant usage, create on schema s to u" there',
    ],
    [
      { may_create: false, user: 'a-b' },
      'the user a-b lacks the privilege to create tables in the schema s: run "grant usage, create on schema s to "a-b"" there',
    ],
    [
      { may_create: null, may_create_schema: false, schema: 'user', user: 'between' },
      'the user between lacks the privilege to create the schema user and user_tables in the database d: run "create schema "user" authorization "between"; create schema user_tables authorization "between"" there, or choose another schema with --database-schema',
    ],
    // no grant, which would not let the server start, and of which the owner's servers would warn
    [
      { may_create: false, stranger: ['s', 'o', null] as const },
      'the schema s belongs to o, who could have the server run anything: run "alter schema s owner to u" there, or choose another schema with --database-schema',
    ],
    [
      { may_create: false, stranger: ['s', 'o', 'server'] as const },
      'the schema s belongs to o, who could have the server run anything: connect as o, whose servers use it, or choose another schema with --database-schema',
    ],
    [
      { stranger: ['s_tables', 'o', 'other'] as const },
      'the schema s_tables belongs to o, who could have the server run anything, and is not empty: choose another schema with --database-schema',
    ],
  ])('reports %j', (facts, problem) => {
    expect(databaseProblem({ ...good, ...facts })).toBe(problem);
  });
});
