import { readFileSync } from 'node:fs';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OwnTarget, startOwnTarget } from '../../attack/target/own-target.js';
import { prepareTarget } from '../../attack/target/prepare-target.js';
import { InspectedProcess } from '../cost/inspected-process.js';
import { createLargeLease } from './large-lease.js';
import { type TurnMessage, messageOf } from './turn-message.js';
import type { TurnCase } from './turn-cases.js';

const MAX_BODY = 3 * 1024 * 1024;
/** What a request line and its headers may have over HTTP/1.1 and HTTP/2. */
const MAX_HEADER = 900_000;
const ANSWER_MS = 20_000;
const SETTLE_MS = 15;
const LEASES = 50;
const MEMORY_MIB = 2048;

const WATCH_LOOP = `(() => {
  const { monitorEventLoopDelay } = process.getBuiltinModule('perf_hooks');
  const { getHeapStatistics } = process.getBuiltinModule('v8');
  globalThis.loopDelay = monitorEventLoopDelay({ resolution: 1 });
  loopDelay.enable();
  globalThis.memoryInUse = () => { const { used_heap_size, external_memory } = getHeapStatistics(); return used_heap_size + external_memory; };
  globalThis.mostMemory = 0;
  setInterval(() => { mostMemory = Math.max(mostMemory, memoryInUse()); }, 1);
})()`;
const RESET = 'loopDelay.reset(); globalThis.memoryBefore = globalThis.mostMemory = memoryInUse()';
const WORST = 'JSON.stringify([loopDelay.max / 1e6, Math.max(mostMemory, memoryInUse()) - memoryBefore])';

export interface Turn {
  readonly size: number;
  readonly bytes: number;
  /** Longest time without a turn of the event loop; the answer's timeout if there was no answer. */
  readonly ms: number;
  readonly status: number;
  /** By how many bytes the memory in use rose between turns, garbage included: of the round with the shortest turn. */
  readonly memory: number;
}

/** A server whose event loop is watched from inside. */
export class TurnBench {
  readonly #target: OwnTarget;
  readonly #process: InspectedProcess;
  readonly #agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly [Symbol.asyncDispose] = () => this.stop();

  private constructor(target: OwnTarget, process: InspectedProcess) {
    this.#target = target;
    this.#process = process;
  }

  /** `checkout` must be built. */
  static async start(checkout: string): Promise<TurnBench> {
    const target = await startOwnTarget({ checkout, memoryMiB: MEMORY_MIB, flags: [], nodeFlags: ['--inspect=127.0.0.1:0'] });
    await prepareTarget(target.url, LEASES);
    await createLargeLease(target.url);
    const url = /Debugger listening on (ws:\S+)/.exec(readFileSync(target.logFile, 'utf8'))?.[1] ?? '';
    const process = await InspectedProcess.connect(url);
    await process.evaluate(WATCH_LOOP);
    return new TurnBench(target, process);
  }

  /** Undefined if the request would be larger than the server reads. The shortest of several turns: the machine may have other work. */
  async measure(request: TurnCase, size: number, times: number): Promise<Turn | undefined> {
    const message = messageOf(request, size);
    const { headerBytes, body } = message;
    if (headerBytes > MAX_HEADER || body.length > MAX_BODY) return undefined;
    const bytes = headerBytes + body.length;
    let best: Turn | undefined;
    for (let round = 0; round < times; round++) {
      await this.#process.evaluate(RESET);
      const status = await this.#send(message);
      await sleep(SETTLE_MS);
      const [ms, memory] = status === 0 ? [ANSWER_MS, 0] : (JSON.parse((await this.#process.evaluate(WORST)) ?? '') as [number, number]);
      if (best === undefined || ms < best.ms) best = { size, bytes, ms, status, memory };
      if (status === 0) break;
    }
    return best;
  }

  get isDead(): boolean {
    return this.#target.death() !== undefined;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#process.close();
    await this.#target.stop();
  }

  /** Status 0 means that there was no answer. */
  #send({ method, path, headers, body }: TurnMessage): Promise<number> {
    return new Promise((resolve) => {
      const options = { method, agent: this.#agent, timeout: ANSWER_MS, headers: { ...headers } };
      const request = https.request(`${this.#target.url}${path}`, options, (response) => {
        response.on('close', () => resolve(response.statusCode ?? 0)).resume();
      });
      request.on('timeout', () => request.destroy()).on('error', () => resolve(0));
      request.end(body);
    });
  }
}
