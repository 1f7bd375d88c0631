import type { Lease } from '../api/kubernetes-objects.js';

/** JSON Patch (RFC 6902), whose tests the server makes in the same commit as the change. */
export type JsonPatch = readonly { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }[];

/**
 * Gives a lease up for its holder as client-go's elector does it itself: nobody holds it, and it runs out at once. Refused where
 * somebody else holds it by now; renewals in between do no harm.
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
 * Makes somebody else the holder, as if he had just taken the lease. An elector of his finds that he holds it and leads; where there is
 * none, the lease runs out and others take it. Refused where the holder has changed.
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
