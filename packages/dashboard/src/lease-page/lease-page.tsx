import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { FollowState } from '../api/follow-list.js';
import { AgeBar, showAge } from '../leases-page/lease-row.js';
import { StateBadge } from '../leases-page/state-badge.js';
import { type ObservedLease, isFlapping, leaseState } from '../leases/observed-lease.js';
import { LeaseRefused } from '../refused/lease-refused.js';
import { useRefused } from '../refused/refused-page.js';
import { type LeaseTab, LEASE_TABS } from '../route/route.js';
import { LiveLeases } from '../shell/live-leases.js';
import { CopyButton } from '../shell/copy-line.js';
import { useServices } from '../shell/services.js';
import { useLive } from '../shell/use-live.js';
import { releasedAt } from '../terms/term.js';
import { asSentence, showText } from '../text/show-text.js';
import { laneContents } from '../timeline/history-plots.js';
import { LeaseActions } from './lease-actions.js';
import { LeaseEvents } from './lease-events.js';
import { LeaseFields } from './lease-fields.js';
import { LeaseOverview } from './lease-overview.js';
import { LeaseTerms } from './lease-terms.js';
import { LeaseYaml } from './lease-yaml.js';

const TAB_TITLES: Readonly<Record<LeaseTab, string>> = {
  overview: 'Overview',
  terms: 'Terms',
  events: 'Events',
  yaml: 'YAML',
  fields: 'Fields',
};

const SINCE = { renewal: 'Since the last renewal', release: 'Since its release', either: 'Since the last renewal or release' } as const;

/** One lease, updated live. */
export function LeasePage(): JSX.Element {
  const { route, href, back } = useServices();
  const { lease, state } = useLease(route.namespace, route.name);
  return (
    <>
      <a class="back" href={href({ page: 'leases', namespace: '', name: '', tab: 'overview' })} onClick={back}>
        <span aria-hidden="true">←</span> All leases
      </a>
      {lease ? <Shown lease={lease} state={state} /> : <Absent state={state} />}
    </>
  );
}

/** The lease from the leases that are followed anyway or, if it is not among them, from a watch of its own. */
function useLease(namespace: string, name: string): { readonly lease: ObservedLease | undefined; readonly state: FollowState } {
  const { client, clock, live, followed } = useServices();
  useLive(live.changed);
  const own = useMemo(() => new LiveLeases(clock), [clock]);
  useLive(own.changed);
  const key = `${namespace}/${name}`;
  const shared = live.store.leases.get(key);
  const isMissing = shared === undefined && (live.store.loaded || live.state.phase === 'refused');
  useEffect(() => {
    if (!isMissing) return undefined;
    own.follow(client, { namespace, labels: '', name });
    followed.add(own);
    return () => {
      followed.delete(own);
      own.stop();
    };
  }, [client, own, followed, isMissing, namespace, name]);
  const lease = shared ?? own.store.leases.get(key);
  // Until its own list has arrived, it is unknown whether the lease exists.
  const isKnown = !isMissing || own.store.loaded;
  const state = isMissing ? own.state : live.state;
  return { lease, state: isKnown || state.phase === 'refused' ? state : { phase: 'loading' } };
}

function Absent({ state }: { readonly state: FollowState }): JSX.Element {
  const { route } = useServices();
  const asked = useRefused(route.namespace, route.name);
  const what = `${showText(route.namespace)}/${showText(route.name)}`;
  if (state.phase === 'loading') {
    return (
      <div class="empty" role="status">
        <span class="spinner" aria-hidden="true" />
        <p>Loading {what}…</p>
      </div>
    );
  }
  const refused = state.phase === 'refused' || state.phase === 'waiting';
  return (
    <>
      <div class="empty card" role="alert">
        <h1>{what}</h1>
        <p>{refused ? showText(state.failure.message, 500) : 'The lease does not exist. If it is created, it appears here.'}</p>
      </div>
      {!refused && <LeaseRefused {...asked} />}
    </>
  );
}

function Shown({ lease, state: follow }: { readonly lease: ObservedLease; readonly state: FollowState }): JSX.Element {
  const { clock, route, archive } = useServices();
  useLive(archive.changed);
  const now = clock.now();
  const state = leaseState(lease, clock.known());
  const flaps = isFlapping(laneContents(archive, lease, lease, now).terms, now);
  const { durationMs, renewedAt, namespace, name, holder } = lease;
  const released = releasedAt(lease, archive.known(lease)?.terms.at(-1));
  return (
    <>
      <div class="lease-head">
        <div class="lease-title">
          <h1>
            <span class="namespace">{showText(namespace)}/</span>
            <bdi>{showText(name)}</bdi>
          </h1>
          <StateBadge state={state} />
          {flaps && <StateBadge state="flapping" />}
        </div>
        <LeaseActions lease={lease} />
      </div>
      {follow.phase === 'waiting' && clock.silentMs === 0 && (
        <p class="notice notice-warn">{asSentence(showText(follow.failure.message, 300))} What is shown may be out of date.</p>
      )}
      <div class="card lease-now">
        <div class="lease-holder">
          <span class="label">Holder</span>
          <strong>{holder === '' ? <span class="muted">nobody</span> : <bdi>{showText(holder)}</bdi>}</strong>
          {holder !== '' && <HolderLinks holder={holder} />}
        </div>
        <div class="lease-age">
          <span class="label">{SINCE[state === 'released' ? (released === undefined ? 'either' : 'release') : 'renewal']}</span>
          <span class="age">{showAge({ ...lease, renewedAt: released ?? renewedAt }, now) || 'never renewed'}</span>
          <AgeBar {...{ durationMs, renewedAt, state, now: clock.now }} />
        </div>
      </div>
      <Tabs />
      <section class="tab-panel" role="tabpanel" id="lease-panel" aria-labelledby={`tab-${route.tab}`}>
        <Panel tab={route.tab} lease={lease} />
      </section>
    </>
  );
}

function Panel({ tab, lease }: { readonly tab: LeaseTab; readonly lease: ObservedLease }): JSX.Element {
  switch (tab) {
    case 'overview':
      return <LeaseOverview lease={lease} />;
    case 'terms':
      return <LeaseTerms lease={lease} />;
    case 'events':
      return <LeaseEvents lease={lease} />;
    case 'yaml':
      return <LeaseYaml lease={lease} />;
    case 'fields':
      return <LeaseFields lease={lease} />;
  }
}

/** Arrow keys move between tabs, as in the tab pattern of WAI-ARIA. */
function Tabs(): JSX.Element {
  const { route, go } = useServices();
  const choose = (tab: LeaseTab): void => go({ tab }, { replace: true });
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const next = LEASE_TABS[(LEASE_TABS.indexOf(route.tab) + step + LEASE_TABS.length) % LEASE_TABS.length] ?? 'overview';
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the lease" onKeyDown={onKeyDown}>
      {LEASE_TABS.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`tab-${tab}`}
          aria-selected={tab === route.tab}
          aria-controls="lease-panel"
          tabIndex={tab === route.tab ? 0 : -1}
          onClick={() => choose(tab)}
        >
          {TAB_TITLES[tab]}
        </button>
      ))}
    </div>
  );
}

function HolderLinks({ holder }: { readonly holder: string }): JSX.Element {
  const { route, href } = useServices();
  const query = { ...route.query, search: `holder:${holder}`, state: undefined };
  return (
    <span class="holder-links">
      <CopyButton text={holder} label="the holder" />
      {/* A word of a search has no spaces. */}
      {!/\s/.test(holder) && <a href={href({ page: 'leases', query })}>All its leases</a>}
    </span>
  );
}
