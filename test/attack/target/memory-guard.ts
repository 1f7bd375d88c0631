import type { ServerUsage } from '../../support/server-usage.js';

const SAMPLE_MS = 50;

/** Emulates a container's limit: kills a server that exceeds its memory. */
export interface MemoryGuard {
  /** Set once it has killed the server. */
  readonly verdict: string | undefined;
  stop(): void;
}

export function guardMemory(usage: ServerUsage, limitMiB: number, kill: () => void): MemoryGuard {
  let verdict: string | undefined;
  const look = () => {
    const resident = usage.residentMiB();
    if (resident <= limitMiB) return;
    verdict ??= `killed: ${Math.round(resident)} MiB are more than ${limitMiB} MiB`;
    kill();
  };
  const timer = limitMiB === 0 ? undefined : setInterval(look, SAMPLE_MS);
  timer?.unref();
  return {
    get verdict() {
      return verdict;
    },
    stop: () => clearInterval(timer),
  };
}
