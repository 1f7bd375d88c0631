/** One version of a lease, as the log has it. */
export interface Version {
  readonly revision: bigint;
  /** Empty for nobody. */
  readonly holder: string;
  readonly transitions: number;
  readonly acquireTime: string;
  readonly renewTime: string;
}

/** Milliseconds by which client-go may be early: it compares whole seconds, so it misses a second renewal within one. */
const EARLY: readonly (readonly [kind: string, ms: number])[] = [['go', 1000]];

/**
 * The time that fabric8 writes is from before it read the lease, for which it takes the time again to judge it (LeaderElector.tryAcquireOrRenew): a
 * process that was stopped in between has waited longer than its times say. Its takeovers are judged by tokens and fenced writes alone.
 */
const writesAnEarlierTime = (holder: string): boolean => holder.startsWith('fabric8');

/** Whether a term begins with this version. */
export function beginsTerm(version: Version, before: Version | undefined): boolean {
  return version.holder !== '' && (before?.holder !== version.holder || before.acquireTime !== version.acquireTime);
}

/**
 * What the versions of one lease never contain: a term that begins before the one before it was released or has expired, a change of holder that
 * is not counted, or a revision that does not rise. All clocks are those of one machine.
 */
export function historyViolations(versions: readonly Version[], durationMs: number): string[] {
  return versions.slice(1).flatMap((version, at) => {
    const before = versions[at] as Version;
    const change = `${before.holder || 'nobody'} -> ${version.holder || 'nobody'} at ${version.revision}`;
    if (version.revision <= before.revision) return [`${change}: after ${before.revision}`];
    const begins = beginsTerm(version, before);
    const step = version.transitions - before.transitions;
    if (step !== (begins ? 1 : 0)) return [`${change}: ${step} transitions`];
    if (!begins || before.holder === '') return [];
    const quiet = Date.parse(version.acquireTime) - Date.parse(before.renewTime);
    if (writesAnEarlierTime(version.holder)) return [];
    const early = EARLY.find(([kind]) => version.holder.startsWith(kind))?.[1] ?? 0;
    return quiet < durationMs - early ? [`${change}: ${quiet} ms after a renewal`] : [];
  });
}
