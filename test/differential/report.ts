import type { Declaration } from './declared-differences.js';
import { maxExpected } from './most-expected.js';
import { type ResourceGroup, type Question, describeQuestion, groupOf } from './question.js';
import type { Finding } from './sequence-run.js';
import { signatureOf } from './signature.js';

const GROUPS: readonly ResourceGroup[] = ['leases', 'leasecandidates', 'namespaces', 'elsewhere'];

/** Undeclared differences of one kind. */
export interface Kind {
  readonly signature: string;
  /** Sequence of the first finding. */
  readonly sequence: number;
  readonly first: Finding;
  count: number;
  shrunk: readonly Question[];
}

/** Counts questions and differences over a run. */
export class Report {
  readonly kinds = new Map<string, Kind>();
  /** Audit events compared. */
  events = 0;
  readonly #asked = new Map<ResourceGroup, number>();
  readonly #undeclared = new Map<ResourceGroup, number>();
  readonly #declared = new Map<Declaration, number>();
  /** The kinds of declared differences, by rule and signature. */
  readonly #covered = new Map<string, Kind>();

  asked(question: Question): void {
    add(this.#asked, groupOf(question));
  }

  /** Returns the kind if this is its first finding. */
  found(finding: Finding, sequence: number, questions: readonly Question[]): Kind | undefined {
    const { declaration, question } = finding;
    const signature = signatureOf(finding);
    if (declaration) {
      add(this.#declared, declaration);
      count(this.#covered, `${declaration.documented}: ${signature}`, { sequence, first: finding, shrunk: [question] });
      return undefined;
    }
    add(this.#undeclared, groupOf(question));
    return count(this.kinds, signature, { sequence, first: finding, shrunk: questions });
  }

  /** Undeclared differences per thousand questions of a group. */
  rate(group: ResourceGroup): number {
    return (1000 * (this.#undeclared.get(group) ?? 0)) / Math.max(1, this.#asked.get(group) ?? 0);
  }

  /** The rules that matched far more often than their rates say. */
  suspicious(): Declaration[] {
    const asked = sum(this.#asked);
    return [...this.#declared].filter(([{ rate }, matched]) => matched > maxExpected(rate, asked)).map(([declaration]) => declaration);
  }

  /** Every kind of difference that a rule covers. */
  coveredLines(seed: number): string[] {
    return [...this.#covered.values()].sort((a, b) => (a.signature < b.signature ? -1 : 1)).flatMap((kind) => describeKind(kind, seed));
  }

  lines(seed: number): string[] {
    const asked = sum(this.#asked);
    const suspicious = this.suspicious();
    return [
      ...[...this.kinds.values()].sort((a, b) => b.count - a.count).flatMap((kind) => describeKind(kind, seed)),
      ...[...this.#declared]
        .sort((a, b) => b[1] - a[1])
        .map(([declaration, matched]) => describeMatches(declaration, matched, asked, suspicious.includes(declaration))),
      ...(this.events > 0 ? [`${this.events} audit events compared`] : []),
      ...GROUPS.map((group) => {
        const [asked, undeclared] = [this.#asked.get(group) ?? 0, this.#undeclared.get(group) ?? 0];
        return `${group}: ${asked} questions, ${undeclared} undeclared differences, ${this.rate(group).toFixed(2)} in 1,000`;
      }),
    ];
  }
}

/** Counts a finding of a kind; returns the kind if it is its first. */
function count(kinds: Map<string, Kind>, signature: string, found: Omit<Kind, 'signature' | 'count'>): Kind | undefined {
  const known = kinds.get(signature);
  if (known) {
    known.count += 1;
    return undefined;
  }
  const kind = { signature, count: 1, ...found };
  kinds.set(signature, kind);
  return kind;
}

function describeMatches({ documented, rate }: Declaration, matched: number, asked: number, suspicious: boolean): string {
  const most = maxExpected(rate, asked);
  const verdict = suspicious ? `TOO OFTEN, at most ${most} expected; --show-declared shows what it covers: ` : '';
  return `declared ${matched} times (${((1000 * matched) / asked).toFixed(2)} in 1,000, usually ${rate}): ${verdict}${documented}`;
}

function sum(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((a, b) => a + b, 0);
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function describeKind({ signature, count, sequence, first, shrunk }: Kind, seed: number): string[] {
  const shown = (value: unknown) => (JSON.stringify(value) ?? 'absent').slice(0, 700);
  return [
    `\n${count} × ${signature}   (--seed=${seed} --only=${sequence})`,
    ...shrunk.map((question) => `  ${describeQuestion(question)}`),
    ...first.differences
      .slice(0, 6)
      .flatMap(({ path, upstream, ours }) => [
        `    ${path}`,
        `      kube-apiserver: ${shown(upstream)}`,
        `      this server:    ${shown(ours)}`,
      ]),
  ];
}
