import type { RefusedRequest } from '../../apis/history/refused-request/refused-request.schema.js';

const RECENT_MS = 60_000;

/** `3 others asked in the last minute: 2 wait, 1 is refused: REMEDY`. `queued` wait without being refused. */
export function askedInVain(refused: readonly RefusedRequest[], queued: number, now: number): string {
  const recent = refused.filter(({ spec, status }) => spec.objectName && now - Date.parse(status.lastTime ?? '') < RECENT_MS);
  const clientsOf = (waiting: boolean): number =>
    new Set(recent.filter(({ status }) => Boolean(status.waiting) === waiting).map(({ spec }) => `${spec.user} ${spec.userAgent}`)).size;
  const inVain = clientsOf(false);
  const wait = clientsOf(true) + queued;
  if (wait + inVain === 0) return 'nobody asked in vain in the last minute';
  const { remedy, message = '' } = recent.find(({ status }) => !status.waiting)?.status ?? {};
  const parts = [
    ...(wait > 0 ? [`${wait} ${wait === 1 ? 'waits' : 'wait'}`] : []),
    ...(inVain > 0 ? [`${inVain} ${inVain === 1 ? 'is' : 'are'} refused`] : []),
  ];
  return `${wait + inVain} ${wait + inVain === 1 ? 'other' : 'others'} asked in the last minute: ${parts.join(', ')}${inVain > 0 ? `: ${remedy || message}` : ''}`;
}
