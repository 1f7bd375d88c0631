import type { ApiClient } from '../api/api-client.js';
import type { ServerClock } from './server-clock.js';

const EVERY_MS = 5_000;
const PATIENCE_MS = 4_000;

/**
 * Asks the server now and then whether it lives, since a watch on which nothing changes says nothing, and neither does one whose server hangs. The clock
 * learns of an answer by the client, and of silence, within nine seconds, here. Returns a function that ends this.
 */
export function listenFor(client: ApiClient, clock: ServerClock): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const ask = async (): Promise<void> => {
    const asked = clock.localNow();
    try {
      await client.text('/livez', { accept: '*/*', signal: AbortSignal.any([ended.signal, AbortSignal.timeout(PATIENCE_MS)]) });
    } catch {
      // Whatever the failure is: an answer has been heard, and nothing else counts.
      if (!ended.signal.aborted && clock.heard < asked) clock.miss();
    }
    if (!ended.signal.aborted) timer = setTimeout(() => void ask(), EVERY_MS);
  };
  timer = setTimeout(() => void ask(), EVERY_MS);
  return () => {
    ended.abort();
    clearTimeout(timer);
  };
}
