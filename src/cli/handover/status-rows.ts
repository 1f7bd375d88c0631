import type { LeaseRoute, ServedBy } from './cluster-access.js';
import type { Freeze } from './lease-freeze.js';

export interface HandoverStatus {
  /** Undefined if the cluster has no APIService of leases. */
  readonly route: Pick<LeaseRoute, 'service' | 'phase' | 'available' | 'message'> | undefined;
  readonly freeze: Pick<Freeze, 'direction' | 'until'> | undefined;
  readonly instances: readonly { readonly instance: string; readonly servedBy: ServedBy }[];
}

/** The table of `takeover --status`: what, and its state. */
export function statusRows({ route, freeze, instances }: HandoverStatus): string[][] {
  const byCluster = instances.some(({ servedBy }) => servedBy === 'cluster');
  return [
    ['APIService', route ? destinationOf(route.service) : `none${byCluster ? ': kube-apiserver serves leases itself' : ''}`],
    ['phase', route?.phase || '-'],
    ['available', route ? availabilityOf(route) : '-'],
    ['freeze', freeze ? `${freeze.direction} until ${freeze.until}: interrupted unless a command runs` : '-'],
    ...instances.map(({ instance, servedBy }) => [instance, servedBy]),
  ];
}

function destinationOf(service: LeaseRoute['service']): string {
  return service ? `${service.namespace}/${service.name}:${service.port}` : 'kube-apiserver';
}

function availabilityOf({ available, message }: Pick<LeaseRoute, 'available' | 'message'>): string {
  if (available) return 'yes';
  return message === '' ? 'no' : `no: ${message}`;
}
