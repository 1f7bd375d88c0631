import type { ProgramCaller } from './program-arguments.js';

const OF_LOCK: readonly HelpItem[] = [
  ['    --wait TIME', 'how long to wait, such as 30s or 1m30s [without limit]'],
  ['    --fail-fast', 'waits for nobody but a crashed holder, whose lease must expire'],
  ['    --conflict-exit-code CODE', 'exit code if the lock was not free in time [75]'],
  ['    --quiet', 'no message in that case'],
];

const COMMON: readonly HelpItem[] = [
  ['    --slots N', 'how many may hold the lock at the same time, the same for everybody [1]'],
  ['-n, --namespace NAME', 'namespace of the leases [that of the context, or default]'],
  ['    --duration TIME', 'how long a crashed holder keeps the lock [15s]'],
  ['    --grace TIME', 'between SIGTERM and SIGKILL when the lease is lost [a third of the duration]'],
  ['    --max-term TIME', 'how long the lease may be held: then the command gets SIGTERM, and others lead first [without limit]'],
  ['    --drain TIME', 'how long the lease is renewed for a command that has got SIGTERM; then SIGKILL [without limit]'],
  ['    --holder TEXT', 'shown as the holder, followed by random characters [host and process]'],
  ['    --shell', 'the command is a line for /bin/sh'],
  ['    --verbose', 'says on stderr what happens'],
];

const OF_ELECT: readonly HelpItem[] = [
  ['    --priority N', 'asks a holder with a smaller one to hand over; needs a server, and does not queue [neither asks nor is asked]'],
];

const PLACE: readonly HelpItem[] = [
  ['    --kubeconfig FILE', 'kubeconfig'],
  ['    --context NAME', 'context of the kubeconfig [the current one]'],
  ['    --server URL', 'a server instead of a kubeconfig, with the next four'],
  ['    --token TOKEN', 'bearer token; a process list shows it'],
  ['    --token-file FILE', 'file with the token'],
  ['    --certificate-authority FILE', "PEM file with the authority of the server's certificate"],
  ['    --insecure-skip-tls-verify', 'does not verify that certificate'],
  ['    --database-url URL', "instead of a server its PostgreSQL, with libpq's variables and files; nobody queues there"],
  ['    --database-schema NAME', "schema of the server's tables [coordination]"],
];

const CODES: readonly HelpItem[] = [
  ['75', 'the lock was not acquired in time'],
  ['76', 'the lease was lost'],
  ['69', 'server or database cannot be reached'],
  ['77', 'server or database refuses'],
  ['78', 'there is no usable configuration'],
  ['64', 'wrong options'],
  ['126, 127', 'the command cannot be executed, or was not found'],
  ['128 + N', 'signal N ended the command, or the wait'],
];

/** The help, for a terminal of `width` columns. */
export function helpText({ name, own }: ProgramCaller, width: number): string {
  const options = new HelpLayout(
    width,
    [...OF_LOCK, ...OF_ELECT, ...COMMON, ...PLACE].map(([term]) => term),
  );
  const codes = new HelpLayout(
    width,
    CODES.map(([code]) => code),
  );
  const ofOwn = own && (own.isNamed ? [own.file, '$KUBECONFIG'] : ['$KUBECONFIG', own.file]);
  return [
    `Usage:\n  ${name} lock NAME [options] -- command args...\n  ${name} elect NAME [options] -- command args...`,
    options.text(
      'lock runs the command while it holds a lock, elect whenever it does, again and again. Contenders are served in the order in which they came. A lost lease stops the command before anybody else can hold it.',
    ),
    options.list('Options of lock', OF_LOCK),
    options.list('Options of elect', OF_ELECT),
    options.list('Options of both', COMMON),
    options.list(
      `Where the leases are (as for kubectl; by default ${(ofOwn ?? ['$KUBECONFIG']).join(', ')}, ~/.kube/config or the pod's service account)`,
      PLACE,
    ),
    options.text(
      'The command finds LEASE_NAME, LEASE_NAMESPACE, LEASE_HOLDER, LEASE_SLOT and the fencing token LEASE_TOKEN in its environment.',
    ),
    `${codes.list("Exit codes, apart from the command's own", CODES)}\n`,
  ].join('\n\n');
}

/** An option with its meaning. */
type HelpItem = readonly [term: string, meaning: string];

const INDENT = 2;
const GAP = 2;
/** In narrower terminals, meanings keep this width. */
const LEAST_WIDTH = 60;

/** Text and lists of options, wrapped at the width of a terminal. */
class HelpLayout {
  readonly #width: number;
  /** Where the meanings begin, the same in all lists. */
  readonly #column: number;

  constructor(width: number, terms: readonly string[]) {
    this.#width = Math.max(LEAST_WIDTH, width);
    this.#column = INDENT + Math.max(...terms.map((term) => term.length)) + GAP;
  }

  text(words: string): string {
    return wrapped(words, this.#width).join('\n');
  }

  list(title: string, items: readonly HelpItem[]): string {
    return [this.text(`${title}:`), ...items.map((item) => this.#item(item))].join('\n');
  }

  #item([term, meaning]: HelpItem): string {
    const begin = `${' '.repeat(INDENT)}${term}`.padEnd(this.#column);
    return begin + wrapped(meaning, this.#width - this.#column).join(`\n${' '.repeat(this.#column)}`);
  }
}

function wrapped(words: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
