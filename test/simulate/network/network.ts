import type { World } from '../world/world.js';
import type { Random } from '../../fuzz/random.js';
import type { SimulatedProcess } from '../world/simulated-process.js';
import type { Peer, SimulatedSocket } from './simulated-socket.js';

/** Determines how long messages take and where connections lead. */
export class Network {
  /** The usual maximum latency of most messages. */
  usualMs = 1;
  /** Until this moment, many messages take up to `ms`. */
  slow = { until: 0, ms: 0 };
  /** Returns the peer of a new connection, or undefined to refuse it. */
  accept: (socket: SimulatedSocket) => Peer | undefined = () => undefined;
  /** Processes whose new connections get no answer. */
  readonly cutOff = new Set<SimulatedProcess>();
  readonly sockets = new Set<SimulatedSocket>();
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.stream();
    networks.set(world, this);
  }

  latency(): number {
    const fraction = this.#random.next() / 0x1_0000_0000;
    const { until, ms } = this.slow;
    const [chance, slowMs] = this.#world.now() < until ? [0.3, ms] : [0.02, 20];
    return this.#random.chance(chance) ? fraction * slowMs : 0.05 + fraction * this.usualMs;
  }

  opened(socket: SimulatedSocket): void {
    this.sockets.add(socket);
  }

  ended(socket: SimulatedSocket): void {
    this.sockets.delete(socket);
  }
}

const networks = new WeakMap<World, Network>();

export function network(world: World): Network {
  const found = networks.get(world);
  if (!found) throw new Error('this world has no network');
  return found;
}
