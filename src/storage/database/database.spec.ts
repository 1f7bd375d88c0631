import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Database } from './database.js';

it('tells people where it is, by all its hosts and without a password', () => {
  const database = new Database({ url: 'postgresql://u:secret@a,b:5433/leases' }, pino({ level: 'silent' }));
  expect(database.place).toBe('the database leases at a:5432, b:5433');
});
