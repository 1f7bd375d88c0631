import { type LeaseAnswer, LeaseSession, leaseText, versionOf } from '../../load/lease-session.js';
import { HOLDER_TOKEN, INNOCENT_NAMESPACE, leasesOf, VICTIM_LEASE } from '../identities.js';
import { Latencies } from './latencies.js';
import type { VictimFigures } from './victim-figures.js';

const PERIOD_MS = 100;
const NEWCOMER_PERIOD_MS = 1000;
/** client-go's default renew deadline: later responses are useless. */
const TIMEOUT_MS = 10_000;
const MAX_PENDING_GETS = 100;
const MAX_ERRORS = 10;
const PATH = `${leasesOf(INNOCENT_NAMESPACE)}/${VICTIM_LEASE}`;

/** A well-behaved lease holder: reads and renews its lease every 100 ms, whether or not earlier reads were answered, and measures both. */
export class LeaseVictim {
  readonly #url: string;
  readonly #requests = new Latencies();
  readonly #newcomers = new Latencies();
  readonly #errors = new Set<string>();
  #session: LeaseSession;
  #version = '';
  #renewing = false;
  #renewedAt = performance.now();
  #longestGap = 0;

  constructor(url: string) {
    this.#url = url;
    this.#session = new LeaseSession(url, HOLDER_TOKEN);
  }

  start(): void {
    setInterval(() => void this.#read(), PERIOD_MS);
    setInterval(() => void this.#renew(), PERIOD_MS);
    setInterval(() => void this.#comeAnew(), NEWCOMER_PERIOD_MS);
  }

  collect(): VictimFigures {
    const longestGapMs = Math.round(Math.max(this.#longestGap, performance.now() - this.#renewedAt));
    const errors = [...this.#errors];
    this.#longestGap = 0;
    this.#errors.clear();
    return { requests: this.#requests.collect(), newcomers: this.#newcomers.collect(), longestGapMs, errors };
  }

  async #read(): Promise<void> {
    if (this.#requests.pending >= MAX_PENDING_GETS) return;
    await this.#try(() => this.#requests.measure(() => this.#ask('GET')));
  }

  async #renew(): Promise<void> {
    if (this.#renewing) return;
    this.#renewing = true;
    await this.#try(async () => {
      // The outcome of an interrupted write is unknown, so the version is read again.
      if (this.#version === '') this.#version = versionOf((await this.#ask('GET')).text);
      const version = this.#version;
      this.#version = '';
      const { text } = await this.#requests.measure(() => this.#ask('PUT', leaseText(VICTIM_LEASE, version)));
      this.#version = versionOf(text);
      const now = performance.now();
      this.#longestGap = Math.max(this.#longestGap, now - this.#renewedAt);
      this.#renewedAt = now;
    });
    this.#renewing = false;
  }

  async #comeAnew(): Promise<void> {
    using session = new LeaseSession(this.#url, HOLDER_TOKEN);
    await this.#try(() => this.#newcomers.measure(() => answerOf(session, 'GET')));
  }

  #ask(method: string, body?: string): Promise<LeaseAnswer> {
    if (this.#session.session.closed || this.#session.session.destroyed) this.#session = new LeaseSession(this.#url, HOLDER_TOKEN);
    return answerOf(this.#session, method, body);
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#errors.size < MAX_ERRORS) this.#errors.add((error as Error).message.slice(0, 200));
    }
  }
}

/** Rejects unless the request is answered with 200 in time. */
async function answerOf(session: LeaseSession, method: string, body?: string): Promise<LeaseAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${method}: no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  try {
    const answer = await Promise.race([session.send(method, PATH, body), late]);
    if (answer.status !== 200) throw new Error(`${method}: ${answer.status} ${answer.text}`);
    return answer;
  } finally {
    clearTimeout(timer);
  }
}
