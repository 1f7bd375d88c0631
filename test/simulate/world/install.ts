import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { TimeSlicer, timeSlicer } from '../../../src/storage/time-slicer.js';
import { SimulatedSocket } from '../network/simulated-socket.js';
import type { SimulatedProcess } from './simulated-process.js';
import { World } from './world.js';

let world = new World(0);

/** The length of a turn of the event loop. */
const TURN_MS = 0.02;

/** Sets the history to which everything in this process belongs from now on. */
export function enter(next: World): void {
  world = next;
  SimulatedSocket.world = next;
}

/**
 * Permanently replaces the time, random numbers and sockets of this process with simulated ones. Promises and `process.nextTick` are kept,
 * because their order depends on nothing else.
 */
export function install(): void {
  // created with the real sockets and timers
  void process.stdout.writable;
  void process.stderr.writable;
  installTimers();
  installClocks();
  installChance();
  installTimeSlicer();
  net.Socket = SimulatedSocket as unknown as typeof net.Socket;
  syncBuiltinESMExports();
  process.on('unhandledRejection', (error) => world.report(new Error('nobody handles a rejection', { cause: error })));
}

function installTimers(): void {
  const timer = (ms: number, run: () => void) => {
    const cancel = world.after(ms / (world.current?.rate ?? 1), run);
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
  Object.defineProperty(performance, 'now', { value: () => world.steadyMs(), configurable: true });
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

/** Each simulated process has its own event loop. */
function installTimeSlicer(): void {
  const turns = new WeakMap<SimulatedProcess, TimeSlicer>();
  timeSlicer.run = (portion) => {
    const { current } = world;
    if (!current) throw new Error('a portion of work belongs to no process');
    const own = turns.get(current) ?? new TimeSlicer();
    turns.set(current, own);
    own.run(portion);
  };
}
