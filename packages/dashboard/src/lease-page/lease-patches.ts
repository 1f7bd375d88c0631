import type { Lease } from '../api/kubernetes-objects.js';

/** JSON Patch (RFC 6902); the server evaluates its tests in the same commit as the change. */
export type JsonPatch = readonly { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }[];

/**
 * Releases a lease for its holder in the way client-go's elector does: no holder, and a duration that expires at once. Refused if
 * the holder has changed; renewals in between do not matter.
 */
export function releasePatch(lease: Lease, now: number): JsonPatch {
  return [
    { op: 'test', path: '/spec/holderIdentity', value: lease.spec?.holderIdentity ?? '' },
    { op: 'add', path: '/spec/holderIdentity', value: '' },
    { op: 'add', path: '/spec/leaseDurationSeconds', value: 1 },
    { op: 'add', path: '/spec/acquireTime', value: microTime(now) },
    { op: 'add', path: '/spec/renewTime', value: microTime(now) },
  ];
}

/**
 * Writes another holder, as if that holder had just taken the lease. Its elector finds that it holds the lease and leads; if there is
 * no such elector, the lease expires and another candidate takes it. Refused if the holder has changed.
 */
export function handOverPatch({ spec = {} }: Lease, to: string, now: number): JsonPatch {
  const { holderIdentity } = spec;
  return [
    ...(holderIdentity ? [{ op: 'test', path: '/spec/holderIdentity', value: holderIdentity } as const] : []),
    { op: 'add', path: '/spec/holderIdentity', value: to },
    { op: 'add', path: '/spec/acquireTime', value: microTime(now) },
    { op: 'add', path: '/spec/renewTime', value: microTime(now) },
    { op: 'add', path: '/spec/leaseTransitions', value: (spec.leaseTransitions ?? 0) + 1 },
  ];
}

function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
