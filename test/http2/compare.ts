import { expectedOutcome } from './differences.js';
import { observe } from './observe.js';
import type { Sequence } from './sequence.js';
import type { ComparedServer } from './servers.js';

/** Waiting times for a late outcome, in order, before it is reported as a difference. */
const GRACES_MS = [0, 100, 500];
/** Number of concurrent sequences: some servers keep a connection open for a second. */
const AT_A_TIME = 24;

export interface Finding {
  readonly name: string;
  readonly server: string;
  readonly expected: string;
  readonly observed: string;
}

/** Hides numbers, which random parameters change. */
const masked = (outcome: string) => outcome.replaceAll(/\d+(?= bytes|")|[+-]\d+(?=:)/g, 'N');

/** Sends a sequence to a server until the outcome is as expected; returns the outcome if it remains different. */
export async function deviation(server: ComparedServer, sequence: Sequence, own: string): Promise<Finding | undefined> {
  const expected = expectedOutcome(server.name, sequence.name, own);
  if (expected === 'any') {
    await observe(server.port, sequence, 0);
    return undefined;
  }
  let observed = '';
  for (const grace of GRACES_MS) {
    observed = withoutBefore(await observe(server.port, sequence, grace));
    if (masked(observed) === masked(expected)) return undefined;
  }
  return { name: sequence.name, server: server.name, expected, observed };
}

/** Removes the answered requests before the sequence, which are not part of its outcome. */
function withoutBefore(outcome: string): string {
  return outcome.replaceAll(/-\d+: 200 "[^"]*"; /g, '');
}

export interface Comparison {
  readonly server: ComparedServer;
  readonly sequence: Sequence;
  /** The outcome on this server. */
  readonly own: string;
}

/** Makes all comparisons; returns those that found a deviation. */
export async function compareAll(comparisons: Iterable<Comparison>): Promise<Finding[]> {
  const findings: Finding[] = [];
  const queue = comparisons[Symbol.iterator]();
  const work = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const { server, sequence, own } = next.value;
      const finding = await deviation(server, sequence, own);
      if (finding) findings.push(finding);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return findings;
}
