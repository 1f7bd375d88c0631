import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../../test/support/eventually.js';
import type { Lease } from '../../../kube-client/src/kubernetes-objects.js';
import { textLines } from '../../../kube-client/src/text-lines.js';
import type { Transport } from '../../../kube-client/src/transport.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

export interface LeaseVersion {
  readonly revision: bigint;
  readonly holder: string;
  readonly transitions: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  /** When the watch delivered it, by this process's clock. */
  readonly seenAt: number;
}

/** Every version of one lease, in revision order, from a watch. */
export class LeaseHistory {
  readonly versions: LeaseVersion[] = [];
  readonly #transport: Transport;
  readonly #name: string;
  readonly #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(transport: Transport, name: string) {
    this.#transport = transport;
    this.#name = name;
  }

  /** Resolves once the watch is open, so that it misses no version. */
  start(): Promise<void> {
    return new Promise((opened) => {
      this.#done = this.#follow(opened);
    });
  }

  /** Waits for the last write, once all writers have stopped. */
  async complete(): Promise<void> {
    const response = await this.#transport({ method: 'GET', path: `${LEASES}/${this.#name}`, signal: this.#stop.signal });
    let text = '';
    for await (const line of textLines(response.body)) text += line;
    const { metadata } = JSON.parse(text) as Lease;
    const revision = BigInt(metadata.resourceVersion ?? 0);
    await eventually(
      () => (this.last?.revision ?? 0n) >= revision,
      () => `the watch never delivered version ${revision}`,
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  get last(): LeaseVersion | undefined {
    return this.versions.at(-1);
  }

  /** The shortest time between a renewal and the acquisition that followed it, for holders of this kind. */
  shortestVacancy(kind: string): number {
    const spans = this.versions.slice(1).flatMap((version, at) => {
      const before = this.versions[at] as LeaseVersion;
      const taken = before.acquireTime !== version.acquireTime && before.holder !== '' && version.holder.startsWith(kind);
      return taken ? [Date.parse(version.acquireTime) - Date.parse(before.renewTime)] : [];
    });
    return Math.min(...spans);
  }

  /** The revisions of a holder's own writes. A release names no holder. */
  revisionsOf(holder: string): bigint[] {
    return this.versions.filter((version) => version.holder === holder).map(({ revision }) => revision);
  }

  /** The writes that changed the holder. */
  get acquisitions(): LeaseVersion[] {
    return this.versions.filter((version, at) => {
      const before = this.versions[at - 1];
      return version.holder !== '' && (before?.holder !== version.holder || before.acquireTime !== version.acquireTime);
    });
  }

  /**
   * What a correct history never contains: a holder that changes without a new term, or a term that begins before the previous one expired.
   * All candidates take their times from this machine's clock. client-go compares records whose times are whole seconds, so it
   * misses a renewal in the same second as the previous one and may acquire up to a second too early.
   */
  violations(leaseDuration: number): string[] {
    return this.versions.slice(1).flatMap((version, at) => {
      const before = this.versions[at] as LeaseVersion;
      const change = `${before.holder} -> ${version.holder} at ${version.revision}`;
      const sameTerm = before.holder === version.holder && before.acquireTime === version.acquireTime;
      const step = version.transitions - before.transitions;
      if (version.revision <= before.revision) return [`${change}: after ${before.revision}`];
      if (step !== (sameTerm ? 0 : 1)) return [`${change}: ${step} transitions`];
      const quiet = Date.parse(version.acquireTime) - Date.parse(before.renewTime);
      const least = version.holder.startsWith('go') ? leaseDuration - 1000 : leaseDuration;
      return !sameTerm && before.holder !== '' && quiet < least ? [`${change}: ${quiet} ms after a renewal`] : [];
    });
  }

  async #follow(opened: () => void): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        const since = this.last ? `&resourceVersion=${this.last.revision}` : '';
        const path = `${LEASES}?watch=true&fieldSelector=metadata.name%3D${this.#name}${since}`;
        const response = await this.#transport({ method: 'GET', path, signal: this.#stop.signal });
        opened();
        for await (const line of textLines(response.body)) this.#take(JSON.parse(line) as { type: string; object: Lease });
      } catch (error) {
        if (!this.#stop.signal.aborted) console.error('watch', error);
      }
      await sleep(50);
    }
  }

  #take({ type, object: { metadata, spec } }: { type: string; object: Lease }): void {
    if (type !== 'ADDED' && type !== 'MODIFIED') return;
    this.versions.push({
      revision: BigInt(metadata.resourceVersion ?? 0),
      holder: spec?.holderIdentity ?? '',
      transitions: spec?.leaseTransitions ?? 0,
      acquireTime: spec?.acquireTime ?? '',
      renewTime: spec?.renewTime ?? '',
      seenAt: performance.now(),
    });
  }
}
