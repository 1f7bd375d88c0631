import type { Kind } from './kinds.js';

const RENEW_DEADLINE = 2_000;
const RETRY_PERIOD = 500;

/** The time in which a busy machine lets a resumed program run and the line that it prints be read. */
const MARGIN = 5_000;

/**
 * How long a holder that was stopped beyond its lease may still believe that it leads. The packages know at once, by their clocks. Client-go retries
 * within a retry period, for up to a whole renew deadline; curl's and SQL's programs look at their clocks between requests. Fabric8 does, too, but
 * its requests hang for longer than any lease lasts; the jobs of frameworks end when they are done.
 */
export const OVERSTAY_LIMITS: Readonly<Partial<Record<Kind, number>>> = {
  typescript: MARGIN,
  typescriptterm: MARGIN,
  shell: MARGIN,
  shellterm: MARGIN,
  shelldb: MARGIN,
  go: RENEW_DEADLINE + RETRY_PERIOD + MARGIN,
  curl: 1_500 + MARGIN,
  sql: 2_500 + MARGIN,
};
