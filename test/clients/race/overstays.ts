import type { SeenVersion } from './lease-history.js';
import type { Reign } from './reigns-of.js';

/** A time in which a process was stopped. */
export interface Pause {
  readonly from: number;
  readonly until: number;
}

/** How long a holder, awake, believed to lead after a watch had shown that it did not. */
export interface Overstay {
  readonly holder: string;
  readonly ms: number;
}

/** The overstays of one contestant for a lease, in all its reigns. */
export function overstays(reigns: readonly Reign[], pauses: readonly Pause[], versions: readonly SeenVersion[]): Overstay[] {
  return reigns.flatMap(({ holder, token, until }) => {
    const acquired = versions.findIndex((version) => version.holder === holder && (token === undefined || version.revision === token));
    const over = acquired < 0 ? undefined : versions.find((version, at) => at > acquired && version.holder !== holder)?.seenAt;
    if (over === undefined || over >= until) return [];
    const asleep = pauses.reduce((sum, pause) => sum + Math.max(0, Math.min(pause.until, until) - Math.max(pause.from, over)), 0);
    return [{ holder, ms: until - over - asleep }];
  });
}
