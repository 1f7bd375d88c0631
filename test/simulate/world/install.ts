import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { LoopTurns, loopTurns } from '../../../src/storage/loop-turns.js';
import { SimulatedSocket } from '../network/simulated-socket.js';
import type { SimulatedProcess } from './simulated-process.js';
import { World } from './world.js';

let world = new World(0);

/** A turn of the event loop. */
const TURN_MS = 0.02;

/** The history that everything in this process belongs to from now on. */
export function enter(next: World): void {
  world = next;
  SimulatedSocket.world = next;
}

/**
 * Puts simulated time, chance and sockets in the place of those of this process, for good. Promises and `process.nextTick` stay, as their
 * order depends on nothing else.
 */
export function install(): void {
  // made with the real sockets and timers
  void process.stdout.writable;
  void process.stderr.writable;
  installTimers();
  installClocks();
  installChance();
  installLoopTurns();
  net.Socket = SimulatedSocket as unknown as typeof net.Socket;
  syncBuiltinESMExports();
  process.on('unhandledRejection', (error) => world.report(new Error('nobody handles a rejection', { cause: error })));
}

function installTimers(): void {
  const timer = (ms: number, run: () => void) => {
    const cancel = world.after(ms, run);
    const handle = { cancel, unref: () => handle, ref: () => handle };
    return handle;
  };
  const cancel = (handle?: { cancel?: () => void }) => handle?.cancel?.();
  Object.assign(globalThis, {
    setTimeout: (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => timer(ms, () => run(...values)),
    setImmediate: (run: (...values: unknown[]) => void, ...values: unknown[]) => timer(TURN_MS, () => run(...values)),
    clearTimeout: cancel,
    clearImmediate: cancel,
    setInterval: () => {
      throw new Error('setInterval is not simulated');
    },
  });
}

function installClocks(): void {
  const RealDate = Date;
  class SimulatedDate extends RealDate {
    constructor(...values: unknown[]) {
      if (values.length === 0) super(world.wallMs());
      else super(...(values as [number]));
    }

    static override now(): number {
      return world.wallMs();
    }
  }
  globalThis.Date = SimulatedDate as DateConstructor;
  Object.defineProperty(performance, 'now', { value: () => world.now(), configurable: true });
}

function installChance(): void {
  Math.random = () => world.fraction();
  const below = (bound: number) => Math.floor(world.fraction() * bound);
  Object.assign(crypto, {
    randomInt: (least: number, bound?: number) => (bound === undefined ? below(least) : least + below(bound - least)),
    randomUUID: () => {
      const digits = Array.from({ length: 32 }, () => below(16).toString(16)).join('');
      return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
    },
    randomBytes: (length: number) => world.random.bytes(length),
  });
}

/** Each simulated process has an event loop of its own. */
function installLoopTurns(): void {
  const turns = new WeakMap<SimulatedProcess, LoopTurns>();
  loopTurns.run = (portion) => {
    const { current } = world;
    if (!current) throw new Error('a portion of work belongs to no process');
    const own = turns.get(current) ?? new LoopTurns();
    turns.set(current, own);
    own.run(portion);
  };
}
