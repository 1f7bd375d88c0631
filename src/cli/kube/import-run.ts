import { type Copied, type OnConflict, copyObject } from './copy-object.js';
import { type CopiedPage, type CopiedResource, COPIED, readPage, servedVersion } from './copied-resources.js';
import type { ImportProgress, ImportState } from './import-state.js';
import type { KubeClient } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';

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
