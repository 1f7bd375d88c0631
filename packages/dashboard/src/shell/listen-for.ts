import { ApiFailure } from '../api/api-client.js';
import { REFUSALS } from '../api/follow-list.js';
import type { ServerClock } from '../clock/server-clock.js';
import type { LiveLeases } from './live-leases.js';

const TURN_MS = 1_000;
const EVERY_MS = 5_000;
const PATIENCE_MS = 4_000;

/**
 * Asks the server for a lease every few seconds, since a watch on which nothing changes says nothing, and neither does one whose server hangs or has lost
 * its database; who may not see the leases any more learns of it so. It asks at once if a lease would be late or expired: it is, once the server has confirmed that it was not renewed. The clock learns of
 * silence within nine seconds. Returns a function that ends this. `followed` are the leases that are shown.
 */
export function listenFor(clock: ServerClock, followed: ReadonlySet<LiveLeases>): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  let turning = false;
  let askedAt = clock.localNow();
  const turn = async (): Promise<void> => {
    if (turning) return;
    turning = true;
    clearTimeout(timer);
    try {
      const isDue = clock.localNow() - askedAt >= EVERY_MS;
      if (await listen({ clock, followed, isDue }, ended.signal)) askedAt = clock.localNow();
    } finally {
      turning = false;
      if (!ended.signal.aborted) timer = setTimeout(() => void turn(), TURN_MS);
    }
  };
  timer = setTimeout(() => void turn(), TURN_MS);
  // Browsers hold back the timers of hidden pages.
  const wake = (): void => void turn();
  document.addEventListener('visibilitychange', wake);
  globalThis.addEventListener('online', wake);
  return () => {
    ended.abort();
    clock.forget();
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', wake);
    globalThis.removeEventListener('online', wake);
  };
}

interface Listening {
  readonly clock: ServerClock;
  readonly followed: ReadonlySet<LiveLeases>;
  /** Whether the server has not been asked for some time. */
  readonly isDue: boolean;
}

/** Resolves with whether it has asked. */
async function listen({ clock, followed, isDue }: Listening, ended: AbortSignal): Promise<boolean> {
  const shown = [...followed].filter(({ state }) => state.phase !== 'refused');
  const asked = shown.at(-1);
  if (!asked) {
    clock.forget();
    return false;
  }
  const isSilent = clock.silentMs > 0;
  const doubtful = asked.firstDoubtful();
  if (!(isSilent ? isMissing(asked) : isDue || (isInDoubt(asked) && clock.sinceWordMs >= TURN_MS))) return false;
  const began = clock.localNow();
  try {
    const found = await asked.confirm(doubtful, AbortSignal.any([ended, AbortSignal.timeout(PATIENCE_MS)]));
    // What came before a silence may be out of date: only a new list ends it.
    if (isSilent || found === 'behind') for (const each of shown) each.followAgain();
    else if (found === 'as-shown' && asked.state.phase === 'live') clock.hear();
  } catch (error) {
    if (!ended.aborted) fail(error, { clock, asked, began });
  }
  return true;
}

/** A list that is on its way ends the silence by itself. */
function isMissing({ state }: LiveLeases): boolean {
  return state.phase !== 'loading';
}

function isInDoubt(asked: LiveLeases): boolean {
  return asked.state.phase === 'waiting' || asked.firstDoubtful() !== undefined;
}

function fail(error: unknown, { clock, asked, began }: { clock: ServerClock; asked: LiveLeases; began: number }): void {
  const { status = 0, message = '' } = error instanceof ApiFailure ? error : {};
  if (REFUSALS.has(status)) return asked.followAgain();
  const isHeardSince = clock.localNow() - clock.sinceWordMs >= began;
  if (!isHeardSince) clock.miss(status === 0 ? undefined : message);
}
