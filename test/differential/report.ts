import type { ResourceGroup, Question } from './question.js';
import { describeQuestion, groupOf } from './question.js';
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
  readonly #asked = new Map<ResourceGroup, number>();
  readonly #undeclared = new Map<ResourceGroup, number>();
  readonly #declared = new Map<string, number>();

  asked(question: Question): void {
    add(this.#asked, groupOf(question));
  }

  /** Returns the kind if this is its first finding. */
  found(finding: Finding, sequence: number, questions: readonly Question[]): Kind | undefined {
    if (finding.declaration) {
      add(this.#declared, finding.declaration.documented);
      return undefined;
    }
    add(this.#undeclared, groupOf(finding.question));
    const signature = signatureOf(finding);
    const known = this.kinds.get(signature);
    if (known) {
      known.count += 1;
      return undefined;
    }
    const kind = { signature, sequence, first: finding, count: 1, shrunk: questions };
    this.kinds.set(signature, kind);
    return kind;
  }

  /** Undeclared differences per thousand questions of a group. */
  rate(group: ResourceGroup): number {
    return (1000 * (this.#undeclared.get(group) ?? 0)) / Math.max(1, this.#asked.get(group) ?? 0);
  }

  lines(seed: number): string[] {
    return [
      ...[...this.kinds.values()].sort((a, b) => b.count - a.count).flatMap((kind) => describeKind(kind, seed)),
      ...[...this.#declared].sort((a, b) => b[1] - a[1]).map(([documented, count]) => `declared ${count} times: ${documented}`),
      ...GROUPS.map((group) => {
        const [asked, undeclared] = [this.#asked.get(group) ?? 0, this.#undeclared.get(group) ?? 0];
        return `${group}: ${asked} questions, ${undeclared} undeclared differences, ${this.rate(group).toFixed(2)} in 1,000`;
      }),
    ];
  }
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
