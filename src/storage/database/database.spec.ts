import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Database } from './database.js';

it('describes its address with all hosts and without the password', () => {
  const database = new Database({ url: 'postgresql://u:secret@a,b:5433/leases' }, pino({ level: 'silent' }));
  expect(database.place).toBe('the database leases at a:5432, b:5433');
});
