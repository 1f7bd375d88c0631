import { parseArgs } from 'node:util';

export interface DifferentialOptions {
  readonly seed: number;
  readonly questions: number;
  /** The sequence with this number alone. */
  readonly only: number | undefined;
  readonly apiserver: string | undefined;
  readonly etcd: string | undefined;
  /** A kube-apiserver that runs already. */
  readonly upstream: string | undefined;
  /** A server of this project that runs already. */
  readonly ours: string | undefined;
  readonly shrink: boolean;
}

export const HELP = `npm run differential -- [--questions=20000] [--seed=S]

Asks a kube-apiserver 1.36 and this server the same seeded questions and compares their answers: objects of all resources in all
media types, patches and applies, lists and watches, odd paths, users with few rights. Differences that docs/compatibility.md
declares do not count; the others are shrunk, grouped and shown. Both servers are started fresh, with the same tokens and roles.

  --questions=N       how many questions are asked (20000)
  --seed=S            what they are made of (by default, the time)
  --only=NUMBER       the sequence of that number alone
  --kube-apiserver=F  the original's program, and
  --etcd=F            etcd 3.6; by default both are looked for in $UPSTREAM_HOME/bin, then in the PATH. kube-apiserver is part of
                      every release of Kubernetes, or: go build k8s.io/kubernetes/cmd/kube-apiserver
  --upstream=URL      a kube-apiserver that runs already instead, and
  --ours=URL          a server of this project that does: with the tokens of test/differential/identities.ts and nothing in them
  --no-shrink         shows the sequences as they were

Ends with 0 if nothing undeclared differs in leases, leasecandidates and namespaces, and less than 1 in 1,000 elsewhere; else with 1.`;

/** Reads the command line; undefined: it asks for help. Throws a TypeError for what it does not know. */
export function parseDifferentialOptions(args: readonly string[], now: () => number = Date.now): DifferentialOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      seed: { type: 'string' },
      questions: { type: 'string', default: '20000' },
      only: { type: 'string' },
      'kube-apiserver': { type: 'string' },
      etcd: { type: 'string' },
      upstream: { type: 'string' },
      ours: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    seed: wholeNumber('seed', values.seed ?? String(Math.floor(now() / 1000))),
    questions: wholeNumber('questions', values.questions),
    only: values.only === undefined ? undefined : wholeNumber('only', values.only),
    apiserver: values['kube-apiserver'],
    etcd: values.etcd,
    upstream: values.upstream,
    ours: values.ours,
    shrink: !values['no-shrink'],
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new TypeError(`--${name} is a whole number, not ${text}`);
  return Number(text);
}
