import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ApiClient, ApiFailure } from '../api/api-client.js';
import type { ServerClock } from '../clock/server-clock.js';
import { ElectionsPage } from '../elections/elections-page.js';
import { LeasePage } from '../lease-page/lease-page.js';
import { LeasesPage } from '../leases-page/leases-page.js';
import { RefusedPage } from '../refused/refused-page.js';
import { type Route, formatRoute } from '../route/route.js';
import { ServerPage } from '../server/server-page.js';
import type { Who } from '../session/who-am-i.js';
import { listenFor } from '../shell/listen-for.js';
import { LiveLeases } from '../shell/live-leases.js';
import { type Services, ServicesProvider, useServices } from '../shell/services.js';
import { useTick } from '../shell/use-live.js';
import { RecentTerms } from '../terms/recent-terms.js';
import { TermArchive } from '../terms/term-archive.js';
import { asSentence, showText } from '../text/show-text.js';
import { showWhole } from '../text/show-time.js';
import { TimelinePage } from '../timeline/timeline-page.js';
import { Header } from './header.js';
import { usePlaces } from './use-places.js';

interface DashboardProps {
  readonly client: ApiClient;
  readonly clock: ServerClock;
  readonly who: Who;
  /** Whether there is a token to forget. */
  readonly canSignOut: boolean;
  readonly signOut: (failure?: ApiFailure) => void;
}

const TITLES: Readonly<Record<Route['page'], string>> = {
  leases: 'Leases',
  lease: 'Lease',
  elections: 'Elections',
  timeline: 'Timeline',
  refused: 'Refused',
  server: 'Server',
};

/** The pages, around the leases that all of them use. */
export function Dashboard({ client, clock, who, canSignOut, signOut }: DashboardProps): JSX.Element {
  const { route, go, back } = usePlaces();
  const [words, announce] = useState('');
  const live = useLiveLeases({ client, clock }, route);
  const followed = useMemo(() => new Set([live]), [live]);
  useEffect(() => listenFor(clock, followed), [clock, followed]);
  const archive = useMemo(() => new TermArchive(client), [client]);
  useEffect(() => () => archive.stop(), [archive]);
  const recent = useMemo(() => new RecentTerms(client, archive), [client, archive]);
  useEffect(() => () => recent.stop(), [recent]);
  useEffect(() => {
    document.title = route.page === 'lease' ? `${route.name} · Leases` : TITLES[route.page];
  }, [route.page, route.name]);
  // The list of leases scrolls by itself; on other pages the document scrolls, by keyboard too.
  const scrolls = route.page !== 'leases';

  const services = useMemo<Services>(
    () => ({
      client,
      clock,
      live,
      followed,
      archive,
      recent,
      who,
      route,
      go,
      back,
      announce,
      href: (change) => formatRoute({ ...route, ...change }),
    }),
    [client, clock, live, followed, archive, recent, who, route, go, back],
  );
  return (
    <ServicesProvider value={services}>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <Header signOut={canSignOut ? () => signOut() : undefined} signIn={canSignOut ? undefined : () => signOut()} />
      <main id="main" tabIndex={scrolls ? 0 : -1} class={`page page-${route.page}`}>
        <SilenceNotice />
        <Page route={route} />
      </main>
      <div class="sr-only" role="status" aria-live="polite">
        {words}
      </div>
    </ServicesProvider>
  );
}

/** The leases of the route's scope. */
function useLiveLeases({ client, clock }: Pick<DashboardProps, 'client' | 'clock'>, { scope, labels }: Route): LiveLeases {
  const live = useMemo(() => new LiveLeases(clock), [clock]);
  useEffect(() => live.follow(client, { namespace: scope, labels }), [live, client, scope, labels]);
  useEffect(() => () => live.stop(), [live]);
  return live;
}

function Page({ route }: { readonly route: Route }): JSX.Element {
  switch (route.page) {
    case 'leases':
      return <LeasesPage />;
    case 'lease':
      return <LeasePage key={`${route.namespace}/${route.name}`} />;
    case 'elections':
      return <ElectionsPage />;
    case 'timeline':
      return <TimelinePage />;
    case 'refused':
      return <RefusedPage />;
    case 'server':
      return <ServerPage />;
  }
}

/** The hash is the page's address, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** Tells that the server has fallen silent, for how long, why, and what that means for what is shown. */
function SilenceNotice(): JSX.Element | null {
  const { clock } = useServices();
  useTick();
  const { silentMs, why } = clock;
  if (silentMs === 0) return null;
  return (
    <p class="notice notice-warn" role="alert">
      {why === undefined ? 'The server does not answer.' : `The server does not tell about its leases: ${asSentence(showText(why, 300))}`}{' '}
      Everything is shown as it was at its last word
      <span aria-hidden="true">, {showWhole(silentMs)} ago</span>: what has happened since is unknown.
    </p>
  );
}
