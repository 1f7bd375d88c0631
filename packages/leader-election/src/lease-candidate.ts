import { type Clock, pause, systemClock, withTimeout } from '../../kube-client/src/clock.js';
import { type LeaseCandidateClient, KubernetesError } from '../../kube-client/src/coordination-client.js';
import { type LeaseCandidateObject, microTime } from '../../kube-client/src/kubernetes-objects.js';

const RENEW_EVERY = 5 * 60_000;
/** How often the state is read without a watch; a ping waits five seconds for its answer. */
const POLL_EVERY = 2_000;
/** After this time the state is read anyway: a connection that died silently brings no pings. */
const WATCH_AT_MOST = 30_000;
const REQUEST_TIMEOUT = 5_000;
const FIRST_BACKOFF = 200;
const LONGEST_BACKOFF = 10_000;

export interface LeaseCandidateOptions {
  readonly client: LeaseCandidateClient;
  readonly namespace: string;
  /** The LeaseCandidate's name, which must be the elector's identity. */
  readonly name: string;
  readonly leaseName: string;
  readonly binaryVersion: string;
  readonly emulationVersion?: string;
  readonly strategy?: string;
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Maintains one LeaseCandidate: creates it, renews it every five minutes and answers the controller's pings (client-go's NewCandidate). */
export class LeaseCandidate {
  readonly #options: LeaseCandidateOptions;
  readonly #clock: Clock;

  constructor(options: LeaseCandidateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Resolves when the signal aborts. The object remains; the server deletes it once it is stale. */
  async run(signal: AbortSignal): Promise<void> {
    let known: LeaseCandidateObject | undefined;
    let backoff = FIRST_BACKOFF;
    while (!signal.aborted) {
      try {
        known = await this.#ensure(known, signal);
        backoff = FIRST_BACKOFF;
        known = await this.#untilDue(known, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError?.(error);
        await pause(this.#clock, backoff, signal);
        backoff = Math.min(backoff * 2, LONGEST_BACKOFF);
      }
    }
  }

  /** Creates or renews. */
  async #ensure(known: LeaseCandidateObject | undefined, signal: AbortSignal): Promise<LeaseCandidateObject> {
    if (known) {
      try {
        return await this.#renew(known, signal);
      } catch (error) {
        if (!(error instanceof KubernetesError)) throw error;
      }
    }
    const current = await this.#get(signal);
    return current ? this.#renew(current, signal) : this.#create(signal);
  }

  /** Waits for a ping or for the next renewal; undefined when the object is gone. */
  async #untilDue(known: LeaseCandidateObject, signal: AbortSignal): Promise<LeaseCandidateObject | undefined> {
    const dueAt = this.#clock.monotonic() + RENEW_EVERY;
    let current: LeaseCandidateObject | undefined = known;
    while (current && !signal.aborted && !isPinged(current)) {
      const left = dueAt - this.#clock.monotonic();
      if (left <= 0) break;
      current = await this.#nextState(current, left, signal);
    }
    return current;
  }

  async #nextState(known: LeaseCandidateObject, ms: number, signal: AbortSignal): Promise<LeaseCandidateObject | undefined> {
    const { client, namespace, name } = this.#options;
    if (!client.watch) {
      await pause(this.#clock, Math.min(ms, POLL_EVERY), signal);
      return signal.aborted ? known : this.#get(signal);
    }
    const end = new AbortController();
    const cancel = this.#clock.after(Math.min(ms, WATCH_AT_MOST), () => end.abort());
    try {
      const within = AbortSignal.any([signal, end.signal]);
      for await (const state of client.watch(namespace, name, known.metadata.resourceVersion ?? '', within)) return state;
    } catch (error) {
      if (!end.signal.aborted) throw error;
    } finally {
      cancel();
      end.abort();
    }
    return signal.aborted ? known : this.#get(signal);
  }

  #get(signal: AbortSignal): Promise<LeaseCandidateObject | undefined> {
    const { client, namespace, name } = this.#options;
    return withTimeout(this.#clock, REQUEST_TIMEOUT, signal, (within) => client.get(namespace, name, within));
  }

  #create(signal: AbortSignal): Promise<LeaseCandidateObject> {
    const { client, namespace, name } = this.#options;
    const object: LeaseCandidateObject = {
      apiVersion: 'coordination.k8s.io/v1beta1',
      kind: 'LeaseCandidate',
      metadata: { namespace, name },
      spec: { ...this.#ownFields(), renewTime: microTime(this.#clock.wallTime()) },
    };
    return withTimeout(this.#clock, REQUEST_TIMEOUT, signal, (within) => client.create(object, within));
  }

  #renew(current: LeaseCandidateObject, signal: AbortSignal): Promise<LeaseCandidateObject> {
    const now = microTime(this.#clock.wallTime());
    const pingTime = current.spec?.pingTime ?? '';
    // Never before the ping that it answers, even if the controller's clock is ahead of ours.
    const renewTime = pingTime > now ? pingTime : now;
    const object = { ...current, spec: { ...current.spec, ...this.#ownFields(), renewTime } };
    return withTimeout(this.#clock, REQUEST_TIMEOUT, signal, (within) => this.#options.client.update(object, within));
  }

  #ownFields(): { leaseName: string; binaryVersion: string; emulationVersion: string; strategy: string } {
    const { leaseName, binaryVersion, emulationVersion = binaryVersion, strategy = 'OldestEmulationVersion' } = this.#options;
    return { leaseName, binaryVersion, emulationVersion, strategy };
  }
}

function isPinged({ spec }: LeaseCandidateObject): boolean {
  return spec?.pingTime !== undefined && spec.pingTime > (spec.renewTime ?? '');
}
