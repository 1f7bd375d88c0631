import { microTime } from '../../../apimachinery/go/micro-time.js';

/**
 * The renewTime of a renewal, as a MicroTime. Where the wall clock stands still it counts microseconds: a renewal that changes nothing is not stored,
 * and one that brings back an earlier time looks like none to whoever looks rarely, such as an elector of client-go.
 */
export function renewalTime(last: string | null | undefined, nowMs: number): string {
  const ms = new Date(nowMs).toISOString().slice(0, -1);
  const micros = last?.startsWith(ms) ? (Number(last.slice(ms.length, -1)) + 1) % 1_000 : 0;
  return microTime(nowMs, micros);
}
