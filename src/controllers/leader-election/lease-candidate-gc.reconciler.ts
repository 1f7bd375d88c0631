import { DEFAULT_LIST_OPTIONS } from '../../apimachinery/options/list-options.js';
import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { systemContext } from '../../registry/resource/request-context.js';
import { LEASE_CANDIDATE_GC } from '../machinery/declared-controller.js';
import { type QueueServices, type RetryQueue, deleteState, queueOf } from '../machinery/retry-queue.js';
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
    const { candidates, now, logger } = this.#options;
    const version = candidates.definition.storageVersion;
    const page = await candidates.list({ version, namespace: '', name: '' }, ALL);
    for (const stored of page.objects) {
      if (this.#abort.signal.aborted) break;
      if (!isCandidateExpired(readCandidate(stored).candidate, now() * 1000)) continue;
      if (!(await deleteState(systemContext(LEASE_CANDIDATE_GC, this.#abort.signal), candidates, stored))) continue;
      const { namespace, name } = stored.key;
      logger.info({ namespace, candidate: name }, 'deleted a candidate that has not renewed for half an hour');
    }
    return PERIOD_MS;
  }
}

const ALL = { ...DEFAULT_LIST_OPTIONS, resourceVersion: '0' };
