import { describe, expect, it } from '@jest/globals';
import { sqlFailure } from './lease-procedures.js';

const coded = (code: string, message = 'no'): Error => Object.assign(new Error(message), { code });

describe('a failed statement', () => {
  it.each(['42501', '42704', '22023', '55000', '28P01'])('with %s is refused: another attempt would not help', (code) => {
    expect(sqlFailure(coded(code))).toMatchObject({ why: 'refused', message: expect.stringContaining(`(${code})`) });
  });

  it.each(['25006', '57P01', '08006', '53300', 'ECONNREFUSED'])('with %s may succeed later', (code) => {
    expect(sqlFailure(coded(code))).toMatchObject({ why: 'unreachable', message: 'the database cannot answer now: no' });
  });

  it('says of several addresses why the first one failed', () => {
    expect(sqlFailure(new AggregateError([coded('ECONNREFUSED', 'refused by ::1'), coded('x')])).message).toContain('refused by ::1');
  });
});
