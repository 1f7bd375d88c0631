import { readFileSync, rmSync } from 'node:fs';
import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';
import { writePrivateFile } from '../../settings/given-files.js';
import { CommandError } from '../output/command-error.js';

export interface ImportOptions {
  readonly from: KubeClient;
  readonly to: KubeClient;
  readonly namespace?: string | undefined;
  readonly onConflict: OnConflict;
  readonly dryRun: boolean;
  readonly state: ImportState;
  readonly onProgress: (done: number, of: number) => void;
}

/** Objects that are created at a time. */
const AT_ONCE = 16;

/**
 * Copies leases and candidates from one server to another, page by page. The state is saved after each page, so that running the same
 * import again resumes it; objects of a page that is copied twice exist already.
 */
export class ImportRun {
  readonly #options: ImportOptions;
  #progress: ImportProgress;

  /** Throws CommandError if the state belongs to another import. */
  constructor(options: ImportOptions) {
    this.#options = options;
    const [source, namespace] = [options.from.target.server, options.namespace ?? ''];
    const fresh = { source, namespace, done: [], resource: '', continue: '', created: 0, replaced: 0, skipped: 0 };
    this.#progress = options.state.load(source, namespace) ?? fresh;
  }

  /** Whether this run resumes an earlier one. */
  get resumed(): boolean {
    return this.#progress.resource !== '' || this.#progress.done.length > 0;
  }

  async run(): Promise<ImportProgress> {
    for (const copied of COPIED) {
      if (!this.#progress.done.includes(copied.resource)) await this.#copyResource(copied);
    }
    this.#options.state.remove();
    return this.#progress;
  }

  async #copyResource(copied: CopiedResource): Promise<void> {
    const { from, to } = this.#options;
    const version = await servedVersion(from, copied);
    const target = version === undefined ? undefined : await servedVersion(to, copied);
    if (version !== undefined && target !== undefined) {
      for (let page = await this.#nextPage(copied, version); page; page = await this.#nextPage(copied, version)) {
        await this.#copyPage(page, { resource: copied.resource, version: target });
        if (page.continue === '') break;
      }
    }
    this.#keep({ done: [...this.#progress.done, copied.resource], resource: '', continue: '' });
  }

  /** Reads the next page; starts over if the continue token has expired. */
  async #nextPage(copied: CopiedResource, version: string): Promise<CopiedPage | undefined> {
    const { from, namespace } = this.#options;
    const token = this.#progress.resource === copied.resource ? this.#progress.continue : '';
    const page = await readPage(from, copied, version, { namespace, continue: token });
    if (page !== 'expired') return page;
    this.#keep({ resource: copied.resource, continue: '' });
    const first = await readPage(from, copied, version, { namespace, continue: '' });
    return first === 'expired' ? undefined : first;
  }

  async #copyPage(page: CopiedPage, { resource, version }: { resource: string; version: string }): Promise<void> {
    const { to, onConflict, dryRun, onProgress } = this.#options;
    const counts: Record<Copied, number> = { created: 0, replaced: 0, skipped: 0 };
    const queue = [...page.objects];
    const copyAll = async (): Promise<void> => {
      for (let object = queue.shift(); object; object = queue.shift()) {
        counts[await copyObject(to, inVersion(object, version), { version, resource, onConflict, dryRun })] += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, copyAll));
    const { created, replaced, skipped } = this.#progress;
    this.#keep({
      resource,
      continue: page.continue,
      created: created + counts.created,
      replaced: replaced + counts.replaced,
      skipped: skipped + counts.skipped,
    });
    const done = this.#progress.created + this.#progress.replaced + this.#progress.skipped;
    onProgress(done, done + page.remaining);
  }

  #keep(change: Partial<ImportProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    if (!this.#options.dryRun) this.#options.state.save(this.#progress);
  }
}

/** Valid because the two versions of candidates have the same fields. */
function inVersion(object: KubeObject, version: string): KubeObject {
  return { ...object, apiVersion: `coordination.k8s.io/${version}` };
}

interface ImportProgress {
  /** The source server, and the namespace ('' for all); an import of anything else does not resume here. */
  readonly source: string;
  readonly namespace: string;
  /** Finished resources. */
  readonly done: readonly string[];
  /** Where the next run resumes. */
  readonly resource: string;
  readonly continue: string;
  readonly created: number;
  readonly replaced: number;
  readonly skipped: number;
}

/** The file from which an interrupted import resumes. */
export class ImportState {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns undefined if there is no saved state. Throws CommandError if the file belongs to another import. */
  load(source: string, namespace: string): ImportProgress | undefined {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new CommandError(`cannot read ${this.#file}: ${(error as Error).message}`);
    }
    const progress = parse(text);
    if (progress?.source === source && progress.namespace === namespace) return progress;
    throw new CommandError(`${this.#file} belongs to another import: remove it, or pass another --state file`);
  }

  save(progress: ImportProgress): void {
    writePrivateFile(this.#file, `${JSON.stringify(progress, null, 2)}\n`);
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}

function parse(text: string): ImportProgress | undefined {
  try {
    return JSON.parse(text) as ImportProgress;
  } catch {
    return undefined;
  }
}

/** Attempts at replacing a lease that its holder keeps renewing. */
const MAX_TRIES = 5;

export type OnConflict = 'skip' | 'replace';
type Copied = 'created' | 'replaced' | 'skipped';

interface CopyOptions {
  readonly version: string;
  readonly resource: string;
  readonly onConflict: OnConflict;
  readonly dryRun: boolean;
}

/** Creates an object and, if missing, its namespace; an existing object is left alone or replaced. */
async function copyObject(client: KubeClient, object: KubeObject, options: CopyOptions): Promise<Copied> {
  const { version, resource, dryRun } = options;
  const query = dryRun ? '?dryRun=All' : '';
  const { namespace = '', name = '' } = object.metadata ?? {};
  const collection = collectionPath(version, resource, namespace);
  let answer = await client.ask('POST', `${collection}${query}`, object);
  if (answer.status === 404 && (await createNamespace(client, namespace, dryRun))) {
    if (dryRun) return 'created';
    answer = await client.ask('POST', `${collection}${query}`, object);
  }
  if (answer.status === 201) return 'created';
  if (answer.status !== 409) throw refusal(`cannot create ${resource} ${namespace}/${name}`, answer);
  return options.onConflict === 'skip' ? 'skipped' : replace(client, `${collection}/${encodeURIComponent(name)}`, object, query);
}

async function createNamespace(client: KubeClient, name: string, dryRun: boolean): Promise<boolean> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const answer = await client.ask('POST', `/api/v1/namespaces${dryRun ? '?dryRun=All' : ''}`, namespace);
  if (answer.status !== 201 && answer.status !== 409) throw refusal(`cannot create the namespace ${name}`, answer);
  return true;
}

/** Overwrites concurrent changes. */
async function replace(client: KubeClient, path: string, object: KubeObject, query: string): Promise<Copied> {
  for (let tries = 1; ; tries++) {
    const { body } = await client.ask('GET', path);
    const resourceVersion = body.metadata?.resourceVersion;
    const answer = await client.ask('PUT', `${path}${query}`, {
      ...object,
      metadata: { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    });
    if (answer.status === 200 || answer.status === 201) return 'replaced';
    if (answer.status !== 409 || tries === MAX_TRIES) throw refusal(`cannot replace ${path}`, answer);
  }
}

const GROUP = 'coordination.k8s.io';
const PAGE = 500;
/** Label of servers' identity leases, which are not copied. */
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';

/** The resources to copy, in order. */
export const COPIED = [
  { resource: 'leases', kind: 'Lease', versions: ['v1'] },
  { resource: 'leasecandidates', kind: 'LeaseCandidate', versions: ['v1beta1', 'v1alpha2'] },
] as const;

type CopiedResource = (typeof COPIED)[number];

interface CopiedPage {
  readonly objects: readonly KubeObject[];
  /** '' after the last one. */
  readonly continue: string;
  readonly remaining: number;
}

/** Resolves with the newest version of a resource that a server has; undefined if it has none. */
export async function servedVersion(client: KubeClient, { resource, versions }: CopiedResource): Promise<string | undefined> {
  for (const version of versions) {
    const answer = await client.ask('GET', `/apis/${GROUP}/${version}/${resource}?limit=1`);
    if (answer.status === 200) return version;
    if (answer.status !== 404) throw refusal(`cannot list the ${resource} of ${client.target.server}`, answer);
  }
  return undefined;
}

/** Reads a page of objects and removes what belongs to their server. 'expired': the continue token is too old, start again. */
export async function readPage(
  client: KubeClient,
  { resource, kind }: CopiedResource,
  version: string,
  options: { readonly namespace?: string; readonly continue: string },
): Promise<CopiedPage | 'expired'> {
  const token = options.continue === '' ? '' : `&continue=${encodeURIComponent(options.continue)}`;
  const answer = await client.ask('GET', `${collectionPath(version, resource, options.namespace)}?limit=${PAGE}${token}`);
  if (answer.status === 410) return 'expired';
  if (answer.status !== 200) throw refusal(`cannot list the ${resource} of ${client.target.server}`, answer);
  const { items = [], metadata = {} } = answer.body;
  return {
    objects: items.filter(({ metadata: of }) => of?.labels?.[IDENTITY_LABEL] === undefined).map((item) => portable(item, kind, version)),
    continue: metadata.continue ?? '',
    remaining: metadata.remainingItemCount ?? 0,
  };
}

function collectionPath(version: string, resource: string, namespace?: string): string {
  return `/apis/${GROUP}/${version}${namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`}/${resource}`;
}

/** Drops the fields that belong to the source server. */
function portable({ metadata = {}, spec }: KubeObject, kind: string, version: string): KubeObject {
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion: `${GROUP}/${version}`,
    kind,
    metadata: omitEmpty({ namespace, name, labels, annotations }),
    ...(spec === undefined ? {} : { spec }),
  };
}
