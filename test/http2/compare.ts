import { expectedOutcome } from './differences.js';
import { observe } from './observe.js';
import type { Sequence } from './sequence.js';
import type { ComparedServer } from './servers.js';

/** What comes late is waited for, longer each time, before it is called a difference. */
const GRACES_MS = [0, 100, 500];
/** Sequences at a time: some servers let a connection linger for a second. */
const AT_A_TIME = 24;

export interface Finding {
  readonly name: string;
  readonly server: string;
  readonly expected: string;
  readonly observed: string;
}

/** Numbers, which random parameters change. */
const masked = (outcome: string) => outcome.replaceAll(/\d+(?= bytes|")|[+-]\d+(?=:)/g, 'N');

/** Sends a sequence to a server until the outcome is as expected, or stays different. */
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

/** Good requests before the sequence, which have been answered, are not part of its outcome. */
function withoutBefore(outcome: string): string {
  return outcome.replaceAll(/-\d+: 200 "[^"]*"; /g, '');
}

export interface Comparison {
  readonly server: ComparedServer;
  readonly sequence: Sequence;
  /** What this server does with it. */
  readonly own: string;
}

/** Makes all comparisons; answers those that found something. */
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
