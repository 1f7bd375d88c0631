import type { Consistency, KeyRange } from '../../../src/storage/object-store.js';
import { keyAfter } from '../../../src/storage/continue-token.js';
import type { Answer, ReadRequest } from '../check/read-check.js';
import type { Random } from '../../fuzz/random.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import type { Context } from './context.js';
import { ServerLost } from './simulated-server.js';
import { LEASES, NAMESPACES } from './writer.js';
import { isOdd } from './watcher.js';

/** Lists in pages of one snapshot, on any server. */
export class Lister {
  readonly #context: Context;
  readonly #random: Random;
  readonly #process: SimulatedProcess;
  /** The newest revision seen. */
  #newest = 0;

  constructor(context: Context, name: string) {
    this.#context = context;
    this.#random = context.world.stream();
    this.#process = new SimulatedProcess(name);
    context.world.after(0, () => void this.#run(), this.#process);
  }

  async #run(): Promise<void> {
    const { world, endsAt } = this.#context;
    while (world.now() < endsAt) {
      await world.sleep(this.#random.below(1_500));
      try {
        await this.#list();
      } catch (error) {
        if (!(error instanceof ServerLost)) world.report(error);
      }
    }
  }

  async #list(): Promise<void> {
    const namespace = this.#random.chance(0.6) ? this.#random.pick(NAMESPACES) : undefined;
    const range: KeyRange = { resource: LEASES, ...(namespace && { namespace }) };
    const predicate = this.#random.chance(0.2) ? isOdd : undefined;
    const limit = this.#random.below(4);
    let consistency = this.#consistency();
    for (let start: string | undefined = ''; start !== undefined;) {
      const answer: Answer | undefined = await this.#page({ range, consistency, start, limit, predicate });
      const last = answer?.objects.at(-1);
      if (!answer || !last || !answer.more) return;
      consistency = { kind: 'exact', revision: BigInt(answer.revision) };
      start = keyAfter(namespace ? last.key.name : `${last.key.namespace}/${last.key.name}`);
      await this.#context.world.sleep(this.#random.below(this.#random.chance(0.2) ? 5_000 : 100));
    }
  }

  #consistency(): Consistency {
    const kind = this.#random.pick(['latest', 'any', 'notOlderThan', 'exact'] as const);
    if (kind === 'latest' || kind === 'any') return { kind };
    return this.#newest === 0 ? { kind: 'latest' } : { kind, revision: BigInt(this.#newest) };
  }

  async #page(request: ReadRequest): Promise<Answer | undefined> {
    const { freshness, reads, servers, world } = this.#context;
    const server = this.#random.pick(servers);
    const uncached = this.#random.chance(0.2);
    return server.call(this.#process, async () => {
      const mark = freshness.mark();
      const { range, ...options } = request;
      try {
        const answer = await (uncached ? server.inner : server.store)?.list(range, options);
        if (!answer) return undefined;
        world.trace(() => `list at ${answer.revision} ${request.consistency.kind}`);
        reads.answered(request, mark, answer);
        this.#newest = answer.revision;
        return answer;
      } catch (error) {
        reads.refused(request, error);
        return undefined;
      }
    });
  }
}
