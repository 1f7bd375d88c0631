import { LEASE_STATEMENTS } from './lease-statements.js';
import { MAINTENANCE_STATEMENTS } from './maintenance-statements.js';
import { READ_STATEMENTS } from './read-statements.js';
import type { SimulatedStatement } from './simulated-statement.js';
import { TERM_STATEMENTS } from './term-statements.js';
import { WRITE_STATEMENTS } from './write-statements.js';

const ALL = [...WRITE_STATEMENTS, ...READ_STATEMENTS, ...MAINTENANCE_STATEMENTS, ...TERM_STATEMENTS, ...LEASE_STATEMENTS];
const found = new Map<string, SimulatedStatement>();

/** The implementation of a statement's text. An unknown statement is a bug of the simulation. */
export function findStatement(text: string): SimulatedStatement {
  const known = found.get(text);
  if (known) return known;
  const words = withoutQuotes(text).replace(/\s+/g, ' ').trim();
  const matching = ALL.filter(({ is }) => is.test(words));
  if (matching.length !== 1) throw new Error(`${matching.length} simulated statements are: ${words}`);
  found.set(text, matching[0]!);
  return matching[0]!;
}

/** Kysely quotes every identifier; hand-written statements quote none. */
export function withoutQuotes(text: string): string {
  return text.replaceAll('"', '');
}
