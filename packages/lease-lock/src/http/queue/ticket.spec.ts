import { describe, expect, it } from '@jest/globals';
import { ORDER, createdAt, isAhead } from './ticket.js';

const ticket = (order: string, creationTimestamp: string) => ({ metadata: { creationTimestamp, annotations: { [ORDER]: order } } });
const own = { order: 100n, createdAt: createdAt(ticket('100', '2026-01-01T00:10:00Z')) };

describe('a ticket is ahead', () => {
  it.each([
    ['with a smaller order', '99', '2026-01-01T00:09:00Z'],
    ['created later by the clock of another server', '99', '2026-01-01T00:11:30Z'],
  ])('%s', (_, order, created) => expect(isAhead(ticket(order, created), own)).toBe(true));

  it.each([
    ['with a larger order', '101', '2026-01-01T00:09:00Z'],
    ['that says so, but was created long after', '1', '2026-01-01T00:11:31Z'],
  ])('but not one %s', (_, order, created) => expect(isAhead(ticket(order, created), own)).toBe(false));
});
