import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { isVolatile, selectLeases } from '../leases/lease-query.js';
import type { ObservedLease } from '../leases/observed-lease.js';
import { CopyLine, Download } from '../shell/copy-line.js';
import { useServices } from '../shell/services.js';
import { useLive } from '../shell/use-live.js';
import { programCall, shellWord } from '../text/kubectl-lines.js';
import { asSentence, showCount, showText } from '../text/show-text.js';
import type { CsvRow } from '../text/to-csv.js';
import { FilterBar, NamespaceText } from './filter-bar.js';
import { LeaseTable } from './lease-table.js';
import { SummaryTiles } from './summary-tiles.js';

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

/** How often an order that changes with every renewal is sorted again. */
const VOLATILE_MS = 500;

interface Selection {
  readonly keys: readonly string[];
  readonly query: unknown;
  readonly structure: number;
  readonly madeAt: number;
}

/** The leases of the route's query. Their order is kept between renewals, so that thousands of renewals a second need no sorting. */
function useSelectedLeases(): readonly string[] {
  const { live, recent, clock, route } = useServices();
  const last = useRef<Selection>({ keys: [], query: undefined, structure: -1, madeAt: -Infinity });
  const { store } = live;
  const { query } = route;
  const age = performance.now() - last.current.madeAt;
  const isDue = isVolatile(query) ? age >= VOLATILE_MS : last.current.structure !== store.structure && age >= VOLATILE_MS / 5;
  if (last.current.query !== query || isDue) {
    const leases = selectLeases(store.leases.values(), query, clock.known(), (lease, now) => recent.flaps(lease, now));
    const keys = leases.map(({ key }) => key);
    last.current = { keys, query, structure: store.structure, madeAt: performance.now() };
  }
  return last.current.keys;
}

/** What to do first; or that no lease has the labels. */
function NoLease(): JSX.Element {
  const { namespace, labels } = useServices().live.scope;
  const where = namespace === '' ? '' : ` in ${showText(namespace)}`;
  if (labels !== '') {
    return (
      <div class="empty card">
        <h2>No lease has these labels{where}</h2>
        <p class="muted">A lease appears here as soon as one has them.</p>
      </div>
    );
  }
  const first = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'example', namespace: namespace || 'default' },
    spec: { holderIdentity: 'me', leaseDurationSeconds: 60 },
  };
  return (
    <div class="empty card">
      <h2>No lease yet{where}</h2>
      <p class="muted">
        A lease records its holder, its duration and its last renewal. It appears here as soon as a program takes one. To create the first
        one by hand:
      </p>
      <CopyLine label="a command that creates a lease" line={`echo ${shellWord(JSON.stringify(first))} | kubectl create -f -`} />
      <p class="muted">
        In a clone of this server, with curl alone, or as a whole program that elects a leader; the page named beside it says how to run it:
      </p>
      <dl class="first-steps">
        {firstSteps(
          `${new URL('../', document.baseURI).href}apis/coordination.k8s.io/v1/namespaces/${first.metadata.namespace}/leases`,
          first,
        ).map(([language, page, line]) => (
          <div key={language}>
            <dt>
              {language} <span class="muted">{page}</span>
            </dt>
            <dd>
              <CopyLine label={`the first step with ${language}`} line={line} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const LANGUAGES = ['Go', 'TypeScript', 'Python', 'Java', 'Rust'] as const;

function firstSteps(collection: string, lease: object): readonly (readonly [language: string, page: string, line: string])[] {
  const headers = `-H "Authorization: Bearer $(${programCall()} token)" -H 'Content-Type: application/json'`;
  const line = `curl --insecure ${headers} -d ${shellWord(JSON.stringify(lease))} ${shellWord(collection)}`;
  return [
    // `ui` on this computer serves the page over http, and nobody else.
    ...(location.protocol === 'https:' ? [['curl', '', line] as const] : []),
    ...LANGUAGES.map((language) => {
      const name = language.toLowerCase();
      return [language, `docs/clients/${name}.md`, `node scripts/example.mjs ${name} ../leases-${name}`] as const;
    }),
  ];
}
