import { type ApiClient, ApiFailure, failureOf } from './api-client.js';
import type { KubernetesObject, ObjectList, WatchEvent } from './kubernetes-objects.js';

/** Page size of lists, so that no page takes long to parse. */
const PAGE = 1000;
/** Whatever a proxy says. */
const LONGEST_RETRY_MS = 300_000;
const WATCH_SECONDS = 290;
/** For a page of a list. A connection that died silently does not fail by itself. */
const PAGE_MS = 30_000;
/** Events shortly after the beginning of a watch happened before it: their arrival time says nothing. */
const CATCH_UP_MS = 1500;

/** `loading`: the list is being read; `live`: changes arrive as they happen; `waiting`: something failed, and another attempt follows;
 * `refused`: retrying is useless until the user does something (401, 403, 400, 404). */
export type FollowState =
  | { readonly phase: 'loading' | 'live' }
  | { readonly phase: 'waiting'; readonly failure: ApiFailure; readonly retryMs: number }
  | { readonly phase: 'refused'; readonly failure: ApiFailure };

interface Follower<T> {
  /** The first page of a longer list, to be shown until `replace` has the whole. */
  readonly begin?: (items: readonly T[]) => void;
  /** All existing objects. */
  readonly replace: (items: readonly T[]) => void;
  /** Changes in order. `live`: they happen now; otherwise the page is catching up. */
  readonly apply: (events: readonly WatchEvent<T>[], live: boolean) => void;
  readonly tell: (state: FollowState) => void;
  /** A page of the list, or a change, shows that the server knows the objects as they are. A bookmark does not: it may come from memory. */
  readonly heard?: () => void;
}

export interface FollowOptions<T> {
  readonly client: ApiClient;
  /** `/apis/coordination.k8s.io/v1/leases`, or one in a namespace. */
  readonly path: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly follower: Follower<T>;
  readonly signal: AbortSignal;
}

export const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 405]);

/**
 * A list and the changes after it, until the signal aborts: list, then watch from its version, and again from the last version seen when
 * the watch ends. 410 (the version is compacted) lists again. Delays grow with each failure, and a watch that delivered an event
 * resets them.
 */
export async function followList<T extends KubernetesObject>(options: FollowOptions<T>): Promise<void> {
  const { follower, signal } = options;
  let version: string | undefined;
  let failures = 0;
  const isAborted = (): boolean => signal.aborted;
  while (!isAborted()) {
    try {
      if (version === undefined) {
        follower.tell({ phase: 'loading' });
        version = await list(options);
      }
      await watch(options, version, (seen) => {
        version = seen;
        failures = 0;
      });
      // The watch ended normally: the server limits its duration, or is stopping.
      if (!isAborted()) await pause(backoffMs(1, Math.random()), signal);
    } catch (error) {
      if (isAborted()) return;
      const failure = asFailure(error);
      if (failure.status === 410) {
        version = undefined;
        continue;
      }
      if (REFUSALS.has(failure.status)) return follower.tell({ phase: 'refused', failure });
      const retryMs = Math.max(backoffMs(++failures, Math.random()), Math.min((failure.retryAfterSeconds ?? 0) * 1000, LONGEST_RETRY_MS));
      follower.tell({ phase: 'waiting', failure, retryMs });
      await pause(retryMs, signal);
    }
  }
}

function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (error instanceof Error && error.name === 'TimeoutError') return new ApiFailure(0, 'The server does not answer.');
  return new ApiFailure(0, error instanceof Error ? error.message : String(error));
}

/** Passes on the whole list; returns its version. If the continue token has expired (410), the list starts again. */
async function list<T>({ client, path, follower, signal, ...selectors }: FollowOptions<T>): Promise<string> {
  const items: T[] = [];
  let token = '';
  for (;;) {
    const query = queryOf({ limit: String(PAGE), continue: token, ...selectorsOf(selectors) });
    const page = await client.json<ObjectList<T>>(`${path}?${query}`, { signal: AbortSignal.any([signal, AbortSignal.timeout(PAGE_MS)]) });
    follower.heard?.();
    for (const item of page.items ?? []) items.push(item);
    const isFirst = token === '';
    token = page.metadata?.continue ?? '';
    if (token !== '') {
      if (isFirst) follower.begin?.(items);
      continue;
    }
    follower.replace(items);
    return page.metadata?.resourceVersion ?? '';
  }
}

async function watch<T extends KubernetesObject>(
  { client, path, follower, signal, ...selectors }: FollowOptions<T>,
  version: string,
  onVersion: (version: string) => void,
): Promise<void> {
  const query = queryOf({
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: version,
    timeoutSeconds: String(WATCH_SECONDS),
    ...selectorsOf(selectors),
  });
  // A connection that died silently does not end the watch by itself.
  const overdue = AbortSignal.timeout((WATCH_SECONDS + 15) * 1000);
  const response = await client.open(`${path}?${query}`, { signal: AbortSignal.any([signal, overdue]) });
  const began = performance.now();
  follower.tell({ phase: 'live' });
  if (!response.body) throw new ApiFailure(0, 'The watch has no body.');
  for await (const lines of readLines(response.body)) {
    const events = lines.map((line) => JSON.parse(line) as WatchEvent<T>);
    const error = events.find(({ type }) => type === 'ERROR');
    const before = error ? events.slice(0, events.indexOf(error)) : events;
    const last = before.at(-1)?.object.metadata.resourceVersion;
    follower.apply(
      before.filter(({ type }) => type !== 'BOOKMARK'),
      performance.now() - began > CATCH_UP_MS,
    );
    if (last !== undefined) onVersion(last);
    if (before.some(({ type }) => type !== 'BOOKMARK')) follower.heard?.();
    if (error) throw statusFailure(error.object);
  }
}

function statusFailure(status: unknown): ApiFailure {
  const { code } = status as { code?: number };
  return failureOf(code ?? 500, JSON.stringify(status));
}

type Selectors = Pick<FollowOptions<never>, 'labelSelector' | 'fieldSelector'>;

function selectorsOf({ labelSelector, fieldSelector }: Selectors): Selectors {
  return { labelSelector, fieldSelector };
}

function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value);
  return query.toString();
}

/** Waits, at most until the signal aborts; returns early when the browser is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      globalThis.removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    globalThis.addEventListener('online', end);
  });
}

/** A longer line cannot be an event of a watch: objects are smaller. */
const MAX_LINE = 16 * 1024 * 1024;

/** The lines of a body as they arrive, those of one chunk together. Throws if a line exceeds the limit. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE) throw new Error('a line of the answer is too long');
      const full = lines.filter((line) => line !== '');
      if (full.length > 0) yield full;
    }
    if (rest.trim() !== '') yield [rest];
  } finally {
    // A caller that stops reading needs no more of the body.
    await reader.cancel().catch(() => undefined);
  }
}

const FIRST_MS = 250;
const MAX_MS = 15_000;

/** The delay before attempt `failures` + 1: doubled each time, with a random quarter, so that many pages do not retry at once. */
export function backoffMs(failures: number, random: number): number {
  const whole = Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(whole * (0.75 + random / 4));
}
