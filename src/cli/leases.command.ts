import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { coloured } from './output/colour.js';
import type { KubeClient, KubeObject } from './kube/kube-client.js';
import { refusal } from './kube/kube-client.js';
import type { LeaseHolding, LeaseState } from './kube/lease-state.js';
import { leaseState, remaining } from './kube/lease-state.js';
import type { OutputFormat } from './output/output-format.js';
import { GrowingTable } from './output/growing-table.js';
import { outputOption, writeResult } from './output/output-format.js';
import { addServerOptions, withServer } from './server-access.js';

const EXAMPLES = `
Examples:
  coordination-apiserver leases
  coordination-apiserver leases --namespace default -o json`;

interface LeasesFlags {
  readonly namespace?: string;
  readonly watch: boolean;
  readonly output: OutputFormat;
}

const HEADINGS = ['LEASE', 'STATE', 'HOLDER', 'REMAINING', 'REVISION'];
/** Of the columns of a watch, as long as no name is longer. */
const WIDTHS = [40, 8, 40, 10];
const COLOURS = { HELD: 'green', EXPIRED: 'red', FREE: 'yellow' } as const;
const LOOK_MS = 1000;
/** Watches have a timeout, so that one whose server vanished ends too. */
const WATCH_SECONDS = 55;

/** `leases`: shows the holders of leases and the time left. */
export function leasesCommand(): Command {
  const command = new Command('leases')
    .description(
      'Lists leases with state (HELD, EXPIRED or FREE by the local clock), holder, time until expiry, and resourceVersion, which grows with every write and is a fencing token.',
    )
    .option('-n, --namespace <name>', 'Restricts to one namespace (default: all namespaces).')
    .option('-w, --watch', 'Prints a line for each change of state or holder, until Ctrl-C.', false)
    .addOption(outputOption());
  addServerOptions(command);
  return command.addHelpText('after', EXAMPLES).action(async (flags: LeasesFlags, self: Command) => {
    const scope = flags.namespace === undefined ? '' : `/namespaces/${encodeURIComponent(flags.namespace)}`;
    const path = `/apis/coordination.k8s.io/v1${scope}/leases`;
    await withServer(self, (client) => (flags.watch ? follow(client, path) : show(client, path, flags.output)));
  });
}

async function show(client: KubeClient, path: string, output: OutputFormat): Promise<void> {
  const { items } = await list(client, path);
  const states = items.map((lease) => leaseState(lease, Date.now()));
  if (states.length === 0) process.stderr.write('no leases found\n');
  writeResult(output, states, [HEADINGS, ...states.map(rowOf)], ([, state = '']) => coloured(COLOURS[state as LeaseHolding], state));
}

async function list(client: KubeClient, path: string): Promise<{ items: readonly KubeObject[]; revision: string }> {
  const answer = await client.ask('GET', path);
  if (answer.status !== 200) throw refusal('cannot list leases', answer);
  return { items: answer.body.items ?? [], revision: answer.body.metadata?.resourceVersion ?? '' };
}

/** Lists and watches in a loop and prints changes, until the process ends. */
async function follow(client: KubeClient, path: string): Promise<never> {
  const known = new Known();
  setInterval(() => known.look(), LOOK_MS).unref();
  for (;;) {
    const { items, revision } = await list(client, path);
    known.replace(items);
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${revision}`;
    for await (const event of client.lines(`${path}?${query}`)) {
      if (!known.apply(event as unknown as WatchEvent)) break;
    }
    await sleep(LOOK_MS);
  }
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

/** The known leases, and the last state printed of each. */
class Known {
  readonly #leases = new Map<string, KubeObject>();
  readonly #printed = new Map<string, string>();
  readonly #table = new GrowingTable(HEADINGS, WIDTHS, (line) => void process.stdout.write(line));

  replace(items: readonly KubeObject[]): void {
    const gone = new Set(this.#leases.keys());
    for (const lease of items) gone.delete(this.#keep(lease));
    for (const key of gone) this.#drop(key);
    this.look();
  }

  /** Returns false if the leases must be listed again. */
  apply({ type, object }: WatchEvent): boolean {
    if (type === 'ERROR') return false;
    if (type === 'DELETED') this.#drop(keyOf(object));
    else if (type !== 'BOOKMARK') this.#keep(object);
    this.look();
    return true;
  }

  /** Prints each lease whose line has changed since, as time alone can change it. */
  look(): void {
    const states = [...this.#leases.values()].map((lease) => leaseState(lease, Date.now()));
    this.#table.print(states.filter((state) => this.#isNews(state)).map(rowOf));
  }

  #keep(lease: KubeObject): string {
    const key = keyOf(lease);
    this.#leases.set(key, lease);
    return key;
  }

  #drop(key: string): void {
    this.#leases.delete(key);
    if (this.#printed.delete(key)) this.#table.print([[key, 'DELETED', '', '', '']]);
  }

  #isNews({ namespace, name, state, holder }: LeaseState): boolean {
    const key = `${namespace}/${name}`;
    const said = `${state} ${holder}`;
    if (this.#printed.get(key) === said) return false;
    this.#printed.set(key, said);
    return true;
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

function rowOf(state: LeaseState): string[] {
  return [`${state.namespace}/${state.name}`, state.state, state.holder, remaining(state), state.revision];
}
