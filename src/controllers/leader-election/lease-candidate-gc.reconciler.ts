import { ApiError } from '../../apimachinery/errors/api-error.js';
import { DEFAULT_LIST_OPTIONS } from '../../apimachinery/options/list-options.js';
import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { systemContext } from '../../registry/resource/system-context.js';
import type { ObjectKey } from '../../storage/object-store.js';
import { LEASE_CANDIDATE_GC } from '../machinery/controller-names.js';
import { type QueueServices, type RetryQueue, queueOf } from '../machinery/retry-queue.js';
import { readCandidate } from './candidate-informer.js';
import { isCandidateExpired } from './election.js';

export interface LeaseCandidateGcOptions extends QueueServices {
  readonly candidates: ResourceStore<LeaseCandidate>;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

const PERIOD_MS = 30 * 60 * 1000;

/**
 * Deletes candidates that were not renewed for half an hour, at start and then every half hour (kubernetes leasecandidategc_controller.go).
 */
export class LeaseCandidateGcReconciler {
  readonly #options: LeaseCandidateGcOptions;
  readonly #abort = new AbortController();
  readonly #queue: RetryQueue<string>;

  constructor(options: LeaseCandidateGcOptions) {
    this.#options = options;
    this.#queue = queueOf(LEASE_CANDIDATE_GC, options, () => this.#collect());
  }

  start(): Promise<void> {
    this.#queue.add('all', 'all');
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#queue.stop();
  }

  async #collect(): Promise<number> {
    const { candidates } = this.#options;
    const version = candidates.definition.storageVersion;
    const page = await candidates.list({ version, namespace: '', name: '' }, ALL);
    for (const stored of page.objects) {
      if (this.#abort.signal.aborted) break;
      if (isCandidateExpired(readCandidate(stored).candidate, this.#options.now() * 1000)) await this.#delete(stored.key);
    }
    return PERIOD_MS;
  }

  /** Deletes only the state that was judged, so a candidate that was just renewed stays. */
  async #delete({ namespace, name }: ObjectKey): Promise<void> {
    const { candidates, now } = this.#options;
    const target = { version: candidates.definition.storageVersion, namespace, name };
    try {
      const stored = await candidates.get(target, { resourceVersion: '' });
      if (!isCandidateExpired(readCandidate(stored).candidate, now() * 1000)) return;
      const options = { dryRun: false, uid: stored.uid, resourceVersion: String(stored.revision) };
      await candidates.delete(systemContext(LEASE_CANDIDATE_GC, this.#abort.signal), target, options);
      this.#options.logger.info({ namespace, candidate: name }, 'deleted a candidate that has not renewed for half an hour');
    } catch (error) {
      if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error;
    }
  }
}

const ALL = { ...DEFAULT_LIST_OPTIONS, resourceVersion: '0' };
