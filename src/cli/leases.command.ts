import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { keyOf } from './handover/handed-lease.js';
import { type OutputFormat, coloured, outputOption, writeResult } from './output/output-format.js';
import { type KubeClient, refusal } from '../kube/kube-client.js';
import type { KubeObject } from '../kube/kube-object.js';
import { type LeaseHolding, type LeaseState, leaseState, remaining } from './kube/lease-state.js';
import { GrowingTable, terminalWidth } from './output/columns.js';
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
/** How long the server may say nothing until it is asked whether it lives, and how long it may take to answer. */
const QUIET_MS = 4000;
const PATIENCE_MS = 4000;
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
  const paint = ([, state = '']: readonly string[]): string => coloured(COLOURS[state as LeaseHolding], state);
  writeResult(output, states, [HEADINGS, ...states.map(rowOf)], { paint, spare: ['REVISION', 'REMAINING'] });
}

async function list(client: KubeClient, path: string): Promise<{ items: readonly KubeObject[]; revision: string }> {
  const answer = await client.ask('GET', path);
  if (answer.status !== 200) throw refusal('cannot list leases', answer);
  return { items: answer.body.items ?? [], revision: answer.body.metadata?.resourceVersion ?? '' };
}

/** Lists and watches in a loop and prints changes, until the process ends. */
async function follow(client: KubeClient, path: string): Promise<never> {
  const known = new Known();
  void listen(client, path, known);
  for (;;) {
    const { items, revision } = await list(client, path);
    known.replace(items);
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${revision}`;
    for await (const event of client.watch(`${path}?${query}`)) {
      if (!known.apply(event as unknown as WatchEvent)) break;
    }
    await sleep(LOOK_MS);
  }
}

/** Prints what time alone has changed, but only once the server has answered since: while it hangs, nothing is known to have expired. */
async function listen(client: KubeClient, path: string, known: Known): Promise<never> {
  for (;;) {
    await sleep(LOOK_MS, undefined, { ref: false });
    if (!known.isDue) continue;
    if (await answers(client, path)) known.hear();
    else known.miss();
  }
}

/** A consistent read, as a server that has lost its database answers others. */
async function answers(client: KubeClient, path: string): Promise<boolean> {
  const answer = client.askText(`${path}?limit=1`).then(({ status }) => status === 200);
  return Promise.race([answer.catch(() => false), sleep(PATIENCE_MS, false, { ref: false })]);
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object?: KubeObject;
}

/** The known leases, and the last state printed of each. */
class Known {
  readonly #leases = new Map<string, KubeObject>();
  readonly #printed = new Map<string, string>();
  #heard = Date.now();
  #isSilent = false;
  readonly #table = new GrowingTable(HEADINGS, WIDTHS, (line) => void process.stdout.write(line), terminalWidth);

  replace(items: readonly KubeObject[]): void {
    const gone = new Set(this.#leases.keys());
    for (const lease of items) gone.delete(this.#keep(lease));
    for (const key of gone) this.#drop(key);
    this.hear();
  }

  /** Returns false if the leases must be listed again. */
  apply({ type, object }: WatchEvent): boolean {
    if (type === 'ERROR' || !object) return false;
    if (type === 'DELETED') this.#drop(keyOf(object));
    else if (type !== 'BOOKMARK') this.#keep(object);
    // A bookmark may come from the memory of a server that knows no more.
    if (type !== 'BOOKMARK') this.hear();
    return true;
  }

  /** Whether time has changed the line of a lease since the server's last word, or that was some time ago. */
  get isDue(): boolean {
    return Date.now() - this.#heard > QUIET_MS || this.#news(Date.now()).length > 0;
  }

  /** The server has just said something: prints each lease whose line has changed since, as time alone can change it. */
  hear(): void {
    if (this.#isSilent) process.stderr.write('the server answers again\n');
    this.#isSilent = false;
    this.#heard = Date.now();
    const news = this.#news(this.#heard);
    for (const state of news) this.#printed.set(keyOfState(state), saidOf(state));
    this.#table.print(news.map(rowOf));
  }

  miss(): void {
    if (!this.#isSilent) {
      const seconds = Math.round((Date.now() - this.#heard) / 1000);
      process.stderr.write(`no word from the server for ${seconds} s: what happens to the leases is unknown until it answers\n`);
    }
    this.#isSilent = true;
  }

  #news(now: number): LeaseState[] {
    const states = [...this.#leases.values()].map((lease) => leaseState(lease, now));
    return states.filter((state) => this.#printed.get(keyOfState(state)) !== saidOf(state));
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
}

function keyOfState({ namespace, name }: LeaseState): string {
  return `${namespace}/${name}`;
}

function saidOf({ state, holder }: LeaseState): string {
  return `${state} ${holder}`;
}

function rowOf(state: LeaseState): string[] {
  return [`${state.namespace}/${state.name}`, state.state, state.holder, remaining(state), state.revision];
}
