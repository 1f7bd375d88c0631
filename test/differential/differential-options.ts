import { parseArgs } from 'node:util';

export interface DifferentialOptions {
  readonly seed: number;
  readonly questions: number;
  /** Runs only the sequence with this number. */
  readonly only: number | undefined;
  readonly apiserver: string | undefined;
  readonly etcd: string | undefined;
  /** A kube-apiserver that is already running. */
  readonly upstream: string | undefined;
  /** A server of this project that is already running. */
  readonly ours: string | undefined;
  readonly shrink: boolean;
  /** Shows every kind of difference that a rule covers. */
  readonly showDeclared: boolean;
  /** Compares the audit events of the questions, and the metrics afterwards. */
  readonly audit: boolean;
  /** How many servers of this project share a database and are asked in turn. */
  readonly replicas: number;
}

export const HELP = `npm run program differential -- [--questions=20000] [--seed=S]

Asks a kube-apiserver of the release that this server follows and this server the same seeded questions and compares their responses: objects of all resources in all
media types, patches and applies, lists and watches, odd paths, users with few rights. Differences declared in docs/compatibility.md
do not count; the others are shrunk, grouped and shown. Both servers are started empty, with the same tokens and roles.

  --questions=N       number of questions (default 20000)
  --seed=S            seed of the questions (default: the time)
  --only=NUMBER       run only the sequence with this number
  --kube-apiserver=F  path of kube-apiserver, and
  --etcd=F            path of etcd; default: $UPSTREAM_HOME/bin, else ~/.cache/upstream-VERSION/bin, where test/upstream/build.sh
                      puts them; KUBE=VERSION names another release than this server's
  --upstream=URL      use a running kube-apiserver instead
  --ours=URL          use a running server of this project instead; both need the tokens of test/differential/identities.ts and no data
  --audit             also compare the audit events of each question by stage, and afterwards the names, labels and buckets of the
                      metrics that both servers have; both servers are started for it
  --replicas=N        ask N servers of this project in turn, which share a database
  --no-shrink         show the sequences without shrinking them
  --show-declared     also show every kind of difference that each rule covers

The exit code is 0 if no undeclared difference is found and no rule matches far more often than its rate says; otherwise 1.`;

/** Parses the command line; returns undefined for a request for help. Throws a TypeError for unknown input. */
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
      audit: { type: 'boolean', default: false },
      replicas: { type: 'string', default: '1' },
      'show-declared': { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  if (values.audit && (values.upstream ?? values.ours) !== undefined) throw new TypeError('--audit needs servers of its own');
  if (values.audit && values.replicas !== '1') throw new TypeError('--audit compares the log of one server: without --replicas');
  return {
    seed: wholeNumber('seed', values.seed ?? String(Math.floor(now() / 1000))),
    questions: wholeNumber('questions', values.questions),
    only: values.only === undefined ? undefined : wholeNumber('only', values.only),
    apiserver: values['kube-apiserver'],
    etcd: values.etcd,
    upstream: values.upstream,
    ours: values.ours,
    shrink: !values['no-shrink'],
    audit: values.audit,
    replicas: wholeNumber('replicas', values.replicas),
    showDeclared: values['show-declared'],
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new TypeError(`--${name} is a whole number, not ${text}`);
  return Number(text);
}
