import type { LeaseTerm } from './lease-term.js';

/** The selectable fields of terms. The store looks up those of one lease or holder by an index. */
export const LEASE_TERM_FIELDS: readonly string[] = [
  'spec.leaseName',
  'spec.leaseUID',
  'spec.holder',
  'spec.fencingToken',
  'status.phase',
  'status.reason',
  'status.lapsed',
  'metadata.namespace',
  'metadata.name',
];

export function leaseTermFields({ spec, status }: LeaseTerm): Readonly<Record<string, string>> {
  return {
    'spec.leaseName': spec.leaseName,
    'spec.leaseUID': spec.leaseUID,
    'spec.holder': spec.holder,
    'spec.fencingToken': spec.fencingToken,
    'status.phase': status.phase,
    'status.reason': status.reason ?? '',
    'status.lapsed': String(status.lapsed ?? false),
  };
}

/** A term is named LEASE.TOKEN. */
export function leaseTermKeyFields(name: string): Readonly<Record<string, string>> {
  const dot = name.lastIndexOf('.');
  return { 'spec.leaseName': name.slice(0, dot), 'spec.fencingToken': name.slice(dot + 1) };
}
