import type { LoggerOptions } from 'pino';
import { LineBudget } from './line-budget.js';

/** Lines per second with the same message; messages are constants of the program. */
const LINES_PER_SECOND = 20;
/** Interval at which the same stack is shown again. */
const STACK_PERIOD_MS = 60_000;
/** Capacity for messages and stacks; the oldest entry is evicted. */
const MAX_REMEMBERED = 500;
const MAX_TEXT = 1024;
const MAX_STACK = 8192;
const INFO = 30;

/**
 * Bounds what a client can write into the log: lines per second with the same message, the same stack once a minute (lines in between say
 * how many errors came without one), and the length of each field. The field `suppressed` of the next line of a kind counts those left out.
 * Below level info only lengths are limited.
 */
export class LogLimits {
  readonly #now: () => number;
  readonly #kinds = new Map<string, LineBudget>();
  /** Keyed by stack frames: when the stack was last shown, and how many errors came since. */
  readonly #stacks = new Map<string, { shownAt: number; since: number }>();

  /** `now` in milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Options for pino. */
  options(): Pick<LoggerOptions, 'hooks' | 'formatters'> {
    const limited = (args: unknown[], level: number): unknown[] | undefined => this.#limit(args, level);
    return {
      hooks: {
        logMethod(args, method, level) {
          const kept = limited(args, level);
          if (kept) method.apply(this, kept as typeof args);
        },
      },
      formatters: { log: shortened },
    };
  }

  /** Returns the line to write; undefined: none. */
  #limit(args: unknown[], level: number): unknown[] | undefined {
    if (level < INFO) return args;
    const [first, second] = args;
    const [fields, message] =
      typeof first === 'string' ? [{}, first] : [first as Record<string, unknown>, typeof second === 'string' ? second : ''];
    const suppressed = remembered(this.#kinds, message, () => new LineBudget(LINES_PER_SECOND)).take(this.#now());
    if (suppressed === undefined) return undefined;
    const { err } = fields;
    const repeated = err instanceof Error ? this.#withoutStack(err, message) : undefined;
    if (suppressed === 0 && !repeated) return args;
    return [{ ...fields, ...repeated, ...(suppressed > 0 ? { suppressed } : {}) }, message];
  }

  /** Replaces an error whose stack was shown recently, or says how many were left out since. */
  #withoutStack(error: Error, message: string): object | undefined {
    const stack = error.stack ?? '';
    const frames = stack.indexOf('\n    at ');
    if (frames < 0) return undefined;
    const now = this.#now();
    const seen = remembered(this.#stacks, message + stack.slice(frames, frames + MAX_STACK), () => ({ shownAt: -Infinity, since: 0 }));
    if (now - seen.shownAt < STACK_PERIOD_MS) {
      seen.since += 1;
      return { err: { type: error.name, message: error.message.slice(0, MAX_TEXT), stackShown: new Date(seen.shownAt).toISOString() } };
    }
    const { since } = seen;
    [seen.shownAt, seen.since] = [now, 0];
    return since > 0 ? { sinceLastStack: since } : undefined;
  }
}

function remembered<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const [oldest] = map.keys();
  if (map.size >= MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
  const made = make();
  map.set(key, made);
  return made;
}

function shortened(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value,
    ]),
  );
}

/** An error's description with its texts shortened. */
export function shortenedError(described: Record<string, unknown>): Record<string, unknown> {
  const cut = shortened({ ...described, stack: undefined });
  return { ...cut, stack: typeof described['stack'] === 'string' ? described['stack'].slice(0, MAX_STACK) : undefined };
}
