import { type FieldError, forbidden, invalid } from '../../../apimachinery/errors/field-error.js';
import { microTime } from '../../../apimachinery/go/go-time.js';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/names.js';
import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import {
  type ResourceVersionDefinition,
  type Strategy,
  type TableColumn,
  ageColumn,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import type { EndedTerm, TermChange } from '../../../storage/term-change.js';
import { validateLeaseStrategy } from '../lease-strategy.validation.js';
import { type Lease, type LeaseSpec, leaseExpiry, leaseV1Schema, leaseV1beta1Schema } from './lease.schema.js';
import { isForcedOpen } from './lock/forced-open.js';

const METADATA = { namespaced: true, validateName: nameIsDnsSubdomain };

/**
 * The strategy of leases (kubernetes pkg/registry/coordination/lease). Coordinated leader election is on: strategy and preferredHolder
 * are kept, whereas upstream drops them unless its feature gate is set.
 */
const leaseStrategy: Strategy<Lease> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: ({ metadata, spec }) => [...validateObjectMeta(metadata, METADATA), ...validateLeaseSpec(spec ?? {})],
  sequelOf: leaseTermChange,
  mayWaitMs: renewalMayWait,
  validateUpdate: ({ spec }) => validateLeaseSpec(spec ?? {}),
};

/** The rules for a lease's spec, the same for new and changed leases (kubernetes pkg/apis/coordination/validation). */
export function validateLeaseSpec(spec: LeaseSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = spec;
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'));
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    errors.push(invalid('spec.leaseTransitions', leaseTransitions, 'must be greater than or equal to 0'));
  }
  if (strategy !== undefined) errors.push(...validateLeaseStrategy(strategy));
  if (preferredHolder && !strategy) {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
  }
  return errors;
}

/** The columns that kubectl prints for leases. The description is upstream's, since clients show it. */
const leaseColumns: readonly TableColumn<Lease>[] = [
  nameColumn,
  textColumn(
    'Holder',
    'holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder ' +
      'identity must be equal to the elected LeaseCandidate.metadata.name field.',
    ({ spec }) => spec?.holderIdentity ?? '',
  ),
  ageColumn,
];

const EXAMPLE = {
  metadata: { name: 'example' },
  spec: {
    holderIdentity: 'host-1',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T12:00:00.000000Z',
    renewTime: '2026-01-01T12:00:10.000000Z',
    leaseTransitions: 0,
  },
};

/** Lease in coordination.k8s.io/v1: the hub's own shape. */
export const leaseV1: ResourceVersionDefinition<Lease> = {
  name: 'v1',
  schema: leaseV1Schema,
  example: EXAMPLE,
};

/** Lease in coordination.k8s.io/v1beta1, for clients older than Kubernetes 1.22; also the hub's shape. Not served by default. */
export const leaseV1beta1: ResourceVersionDefinition<Lease> = {
  name: 'v1beta1',
  schema: leaseV1beta1Schema,
  example: EXAMPLE,
  deprecation: 'coordination.k8s.io/v1beta1 Lease is deprecated in v1.19+, unavailable in v1.22+; use coordination.k8s.io/v1 Lease',
};

export const leaseDefinition = defineResource<Lease>({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  namespaced: true,
  versions: [leaseV1],
  otherVersions: [leaseV1beta1],
  strategy: leaseStrategy,
  columns: leaseColumns,
});

/** A wait is no longer than this share of the lease's duration, so that it moves no deadline that anybody could notice. */
const SHARE = 1 / 1000;

/**
 * How long the holder's own renewal may wait for company, in milliseconds: its deadline is seconds away, whereas whoever takes, releases or
 * changes a lease waits for the answer. Asked of updates that begin and end no term.
 */
export function renewalMayWait({ spec: next }: Lease, { spec: old }: Lease): number {
  if (!next?.holderIdentity || !old || UNCHANGED.some((field) => next[field] !== old[field])) return 0;
  return (next.leaseDurationSeconds ?? 0) * 1000 * SHARE;
}

/** What a renewal leaves as it is. */
const UNCHANGED: readonly (keyof LeaseSpec)[] = ['holderIdentity', 'leaseDurationSeconds', 'strategy', 'preferredHolder'];

/**
 * The renewTime of a renewal, as a MicroTime. Where the wall clock stands still it counts microseconds: a renewal that changes nothing is not stored,
 * and one that brings back an earlier time looks like none to whoever looks rarely, such as an elector of client-go.
 */
export function renewalTime(last: string | null | undefined, nowMs: number): string {
  const ms = new Date(nowMs).toISOString().slice(0, -1);
  const micros = last?.startsWith(ms) ? (Number(last.slice(ms.length, -1)) + 1) % 1_000 : 0;
  return microTime(nowMs, micros);
}

/**
 * The terms that a write of a lease ends and begins: with another holder, or with another number of transitions, by which a holder says
 * that it has acquired the lease anew. Every renewal is looked at here, so what is usual comes first.
 */
export function leaseTermChange(old: Lease | undefined, next: Lease | undefined): TermChange | undefined {
  const held = holderOf(old);
  const holds = holderOf(next);
  if (held === holds && (held === '' || isSameTerm(old, next))) return undefined;
  return {
    leaseUid: (next ?? old)?.metadata.uid ?? '',
    ...(old && held !== '' && { ended: endedTerm(old, next) }),
    ...(next && holds !== '' && { begun: { ...termOf(next.spec), labels: next.metadata.labels } }),
  };
}

function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity || '';
}

function isSameTerm(old: Lease | undefined, next: Lease | undefined): boolean {
  return old?.spec?.leaseTransitions === next?.spec?.leaseTransitions;
}

function endedTerm(old: Lease, next: Lease | undefined): EndedTerm {
  const { holder, durationSeconds } = termOf(old.spec);
  return {
    reason: reasonOf(old, next),
    holder,
    durationSeconds,
    renewTime: old.spec.renewTime ?? undefined,
    expiresMs: leaseExpiry(old, 'beginning'),
  };
}

/** A holder that was told of a better one either lets go or is replaced by it. */
function reasonOf(old: Lease, next: Lease | undefined): EndedTerm['reason'] {
  if (!next) return 'Deleted';
  const { holderIdentity, preferredHolder } = old.spec;
  const holds = holderOf(next);
  if (holds === '' && isForcedOpen(old, next)) return 'Forced';
  const isHandedOver = Boolean(preferredHolder) && preferredHolder !== holderIdentity && (holds === '' || holds === preferredHolder);
  if (isHandedOver) return 'HandedOver';
  return holds === '' ? 'Released' : 'Replaced';
}

function termOf({ holderIdentity = '', leaseDurationSeconds, leaseTransitions }: LeaseSpec) {
  return { holder: holderIdentity, durationSeconds: leaseDurationSeconds, transitions: leaseTransitions };
}
