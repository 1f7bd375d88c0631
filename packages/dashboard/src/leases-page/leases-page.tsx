import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ObservedLease } from '../leases/observed-lease.js';
import { Download } from '../shell/download.js';
import { useServices } from '../shell/services.js';
import { useLive } from '../shell/use-live.js';
import { asSentence } from '../text/as-sentence.js';
import { showCount } from '../text/show-count.js';
import { showText } from '../text/show-text.js';
import type { CsvRow } from '../text/to-csv.js';
import { FilterBar } from './filter-bar.js';
import { LeaseTable } from './lease-table.js';
import { NamespaceText } from './namespace-picker.js';
import { NoLease } from './no-lease.js';
import { SummaryTiles } from './summary-tiles.js';
import { useSelectedLeases } from './use-selected-leases.js';

/** All leases with their states, updated live. */
export function LeasesPage(): JSX.Element {
  const { live, recent, clock } = useServices();
  useLive(live.changed);
  recent.follow(live.store, clock.now());
  const keys = useSelectedLeases();
  const { state, store } = live;
  // Parts that do not change with every frame are rendered separately.
  const head = useMemo(
    () => (
      <>
        <SummaryTiles />
        <FilterBar />
      </>
    ),
    [],
  );
  return (
    <>
      <h1 class="sr-only">Leases</h1>
      {head}
      {state.phase === 'waiting' && clock.silentMs === 0 && (
        <p class="notice notice-warn">
          {asSentence(showText(state.failure.message, 300))} What is shown may be out of date; trying again by itself.
        </p>
      )}
      {state.phase === 'refused' ? <Refused /> : <Content loaded={store.loaded} keys={keys} total={store.leases.size} />}
    </>
  );
}

function Content({
  loaded,
  keys,
  total,
}: {
  readonly loaded: boolean;
  readonly keys: readonly string[];
  readonly total: number;
}): JSX.Element {
  const { live } = useServices();
  if (!loaded && keys.length === 0) return <Loading />;
  if (total === 0) return <NoLease />;
  return (
    <>
      {keys.length === 0 ? <NoMatch /> : <LeaseTable keys={keys} />}
      <p class="table-foot muted">
        {keys.length === total ? '' : `${keys.length.toLocaleString('en')} of `}
        {showCount(total, 'lease')}
        {!loaded && ', loading more…'} <Download name="leases" rows={() => keys.flatMap((key) => leaseRow(live.store.leases.get(key)))} />
        <span class="hints">
          <kbd>/</kbd> search <kbd>↑</kbd> <kbd>↓</kbd> move <kbd>↵</kbd> open
        </span>
      </p>
    </>
  );
}

/** What the list shows of a lease, for other programs. */
function leaseRow(lease: ObservedLease | undefined): readonly CsvRow[] {
  if (lease === undefined) return [];
  const { metadata, spec = {} } = lease.lease;
  const { acquireTime, renewTime, leaseDurationSeconds, leaseTransitions } = spec;
  const { resourceVersion } = metadata;
  const { namespace, name, holder } = lease;
  return [{ namespace, name, holder, acquireTime, renewTime, leaseDurationSeconds, leaseTransitions, resourceVersion }];
}

function Loading(): JSX.Element {
  return (
    <div class="empty" role="status">
      <span class="spinner" aria-hidden="true" />
      <p>Loading leases…</p>
    </div>
  );
}

function NoMatch(): JSX.Element {
  const { route, go } = useServices();
  return (
    <div class="empty card">
      <h2>No lease matches</h2>
      <p class="muted">No lease here matches the search and the state.</p>
      <button type="button" class="button" onClick={() => go({ query: { ...route.query, search: '', state: undefined } })}>
        Show all
      </button>
    </div>
  );
}

/** What the user may not do, in the server's words, and the remedy. */
function Refused(): JSX.Element {
  const { live, who, go } = useServices();
  const { state, scope } = live;
  const failure = state.phase === 'refused' ? state.failure : undefined;
  const isSelector = failure?.status === 400;
  return (
    <div class="empty card" role="alert">
      <h2>{isSelector ? 'The server does not understand the label selector' : refusalTitle(scope.namespace)}</h2>
      <p class="muted">{showText(failure?.message ?? '', 500)}</p>
      {isSelector ? (
        <button type="button" class="button" onClick={() => go({ labels: '' })}>
          Remove the selector
        </button>
      ) : (
        <>
          <p>
            You are <bdi>{showText(who.name)}</bdi>. Choose a namespace where you may list and watch leases:
          </p>
          <NamespaceText />
        </>
      )}
    </div>
  );
}

function refusalTitle(namespace: string): string {
  return namespace === '' ? 'You may not see the leases of all namespaces' : `You may not see the leases in ${showText(namespace)}`;
}
