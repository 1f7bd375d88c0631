import { describe, expect, it } from '@jest/globals';
import { narrowOffset, offsetMs } from './server-clock.js';

const AT = Date.parse('2026-01-02T03:04:05Z');
const header = (ms: number) => new Date(ms).toUTCString();

describe('the offset of the server clock', () => {
  it('is 0 if the Date header may be of the same clock', () => {
    expect(offsetMs(narrowOffset(undefined, header(AT), AT + 400, AT + 420))).toBe(0);
  });

  it('is narrowed by every response', () => {
    // The server is 10.3 s ahead.
    const ahead = (at: number) => header(Math.floor((at + 10_300) / 1000) * 1000);
    let known = narrowOffset(undefined, ahead(AT), AT - 5, AT + 5);
    for (const at of [AT + 150, AT + 690, AT + 710, AT + 1_400]) known = narrowOffset(known, ahead(at), at - 5, at + 5);
    expect(Math.abs(offsetMs(known) - 10_300)).toBeLessThan(20);
  });

  it('is reset when a clock was set', () => {
    const before = narrowOffset(undefined, header(AT + 60_000), AT, AT + 10);
    const after = narrowOffset(before, header(AT - 60_000), AT, AT + 10);
    expect(offsetMs(after)).toBeLessThan(-59_000);
  });

  it('ignores a header that is not a date', () => {
    expect(narrowOffset(undefined, 'yesterday', 0, 1)).toBeUndefined();
  });
});
