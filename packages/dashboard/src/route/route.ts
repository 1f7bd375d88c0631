import type { LeaseQuery, SortColumn, StateFilter } from '../leases/lease-query.js';
import { type WindowChoice, formatWindow, parseWindow } from '../timeline/time-window.js';

/** The current place in the page, as encoded in the address after #. */
export interface Route {
  readonly page: 'leases' | 'lease' | 'elections' | 'timeline' | 'refused' | 'server';
  /** The namespace whose leases are followed; '' for all namespaces. */
  readonly scope: string;
  readonly labels: string;
  /** On the page of a lease: the lease, and the open tab. */
  readonly namespace: string;
  readonly name: string;
  readonly tab: LeaseTab;
  readonly query: LeaseQuery;
  /** The period of the timeline. */
  readonly window: WindowChoice;
}

export const LEASE_TABS = ['overview', 'terms', 'events', 'yaml', 'fields'] as const;
export type LeaseTab = (typeof LEASE_TABS)[number];

const PAGES = ['leases', 'elections', 'timeline', 'refused', 'server'] as const;
const SORTS: readonly SortColumn[] = ['name', 'state', 'holder', 'renewed', 'rate', 'transitions'];
const STATES: readonly StateFilter[] = ['held', 'due', 'expired', 'released', 'never-held', 'flapping'];

/** Reads `#/leases/kube-system/scheduler?tab=yaml`. Unknown parts get their default values. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const parts = path.split('/').filter(Boolean).map(decode);
  const query = new URLSearchParams(search);
  const [first, namespace = '', name = ''] = parts;
  const page = PAGES.find((known) => known === first) ?? 'leases';
  return {
    page: page === 'leases' && name !== '' ? 'lease' : page,
    scope: query.get('ns') ?? '',
    labels: query.get('labels') ?? '',
    namespace: name === '' ? '' : namespace,
    name,
    tab: LEASE_TABS.find((tab) => tab === query.get('tab')) ?? 'overview',
    query: parseLeaseQuery(query),
    window: parseWindow(query.get('range') ?? ''),
  };
}

function parseLeaseQuery(query: URLSearchParams): LeaseQuery {
  const sort = query.get('sort') ?? '';
  return {
    search: query.get('q') ?? '',
    state: STATES.find((state) => state === query.get('state')),
    sort: SORTS.find((column) => column === sort.replace(/^-/, '')) ?? 'name',
    descending: sort.startsWith('-'),
  };
}

/** The inverse, without default values. */
export function formatRoute(route: Route): string {
  const { page, scope, labels, query, namespace, name, tab, window } = route;
  const parameters = new URLSearchParams();
  const add = (key: string, value: string): void => void (value && parameters.set(key, value));
  add('ns', scope);
  add('labels', labels);
  add('q', query.search);
  add('state', query.state ?? '');
  if (query.sort !== 'name' || query.descending) add('sort', `${query.descending ? '-' : ''}${query.sort}`);
  if (page === 'lease' && tab !== 'overview') add('tab', tab);
  if (page === 'timeline' || page === 'lease') add('range', formatWindow(window));
  const path = page === 'lease' ? `leases/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}` : page;
  const text = parameters.toString();
  return `#/${path}${text && `?${text}`}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
