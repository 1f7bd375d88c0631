import { describe, expect, it } from '@jest/globals';
import { nullable, text } from './database-tables.js';
import { type RowOf, statement } from './statement.js';

describe('statement', () => {
  const find = statement('find', [text, nullable(text)], (db, [name, value]) =>
    db.selectFrom('server_state').select('value').where('value', '=', value).where('name', '=', name).where('name', '<>', name),
  );

  it('numbers parameters in the order of their types, regardless of the order and number of their uses', () => {
    expect(find).toEqual({
      name: 'find',
      text: 'select "value" from "server_state" where "value" = $2 and "name" = $1 and "name" <> $1',
    });
  });

  it('has rows with the type of the query', () => {
    const row: RowOf<typeof find> = { value: 'x' };
    // @ts-expect-error -- the column is a text
    row.value = 1;
    // @ts-expect-error -- the query does not select it
    expect(row.name).toBeUndefined();
  });

  it('refuses a value in the place of a parameter, since it would not be sent', () => {
    const build = () => statement('find', [], (db) => db.selectFrom('server_state').select('value').where('name', '=', 'certificate'));
    expect(build).toThrow('the statement find contains a value where a parameter is required');
  });
});
