import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiClient } from '../api/api-client.js';
import type { ServerClock } from '../clock/server-clock.js';
import type { Route } from '../route/route.js';
import type { Who } from '../session/who-am-i.js';
import type { RecentTerms } from '../terms/recent-terms.js';
import type { TermArchive } from '../terms/term-archive.js';
import type { LiveLeases } from './live-leases.js';

/** The services that every page receives. */
export interface Services {
  readonly client: ApiClient;
  readonly clock: ServerClock;
  readonly live: LiveLeases;
  /** All leases that are shown: these, and those that a page follows besides. */
  readonly followed: Set<LiveLeases>;
  readonly archive: TermArchive;
  readonly recent: RecentTerms;
  readonly who: Who;
  readonly route: Route;
  /** Goes to the current route with these changes. `replace`: without an entry in the browser's history. */
  readonly go: (change: Partial<Route>, how?: { readonly replace?: boolean }) => void;
  /** For links to where the user may have come from: goes back instead, if that is so. */
  readonly back: (event: MouseEvent) => void;
  /** The address of the current route with these changes. */
  readonly href: (change: Partial<Route>) => string;
  /** Announces a text to screen readers, politely. */
  readonly announce: (text: string) => void;
}

const Context = createContext<Services | undefined>(undefined);
export const ServicesProvider = Context.Provider;

export function useServices(): Services {
  const services = useContext(Context);
  if (!services) throw new Error('there are no services outside their provider');
  return services;
}
