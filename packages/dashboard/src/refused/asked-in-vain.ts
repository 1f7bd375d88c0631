import type { RefusedRequest } from '../api/kubernetes-objects.js';
import { timeOf } from '../leases/observe-lease.js';

const RECENT_MS = 60_000;

/** `3 others asked in the last minute: 2 wait, 1 is refused`, and what helps; undefined if nobody did. */
export function askedInVain(
  refused: readonly RefusedRequest[],
  now: number,
): { readonly sentence: string; readonly remedy: string } | undefined {
  const recent = refused.filter(({ status }) => now - (timeOf(status?.lastTime) ?? 0) < RECENT_MS);
  const clients = (those: readonly RefusedRequest[]): number => new Set(those.map(({ spec }) => `${spec?.user} ${spec?.userAgent}`)).size;
  const inVain = recent.filter(({ status }) => !status?.waiting);
  const [wait, lose] = [clients(recent.filter(({ status }) => status?.waiting)), clients(inVain)];
  if (wait + lose === 0) return undefined;
  const parts = [wait > 0 && `${wait} ${wait === 1 ? 'waits' : 'wait'}`, lose > 0 && `${lose} ${lose === 1 ? 'is' : 'are'} refused`];
  const { remedy, message } = inVain[0]?.status ?? {};
  return {
    sentence: `${wait + lose} ${wait + lose === 1 ? 'other' : 'others'} asked in the last minute: ${parts.filter(Boolean).join(', ')}`,
    remedy: remedy || message || '',
  };
}
