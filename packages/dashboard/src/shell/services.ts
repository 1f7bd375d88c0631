import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiClient } from '../api/api-client.js';
import type { ServerClock } from '../clock/server-clock.js';
import type { Route } from '../route/route.js';
import type { Who } from '../session/who-am-i.js';
import type { LiveLeases } from './live-leases.js';

/** What every page is given. */
export interface Services {
  readonly client: ApiClient;
  readonly clock: ServerClock;
  readonly live: LiveLeases;
  readonly who: Who;
  readonly route: Route;
  /** Goes to what differs from where one is. `replace`: without a step in the browser's history. */
  readonly go: (change: Partial<Route>, how?: { readonly replace?: boolean }) => void;
  /** The address of what differs from where one is. */
  readonly href: (change: Partial<Route>) => string;
  /** Polite words for screen readers. */
  readonly announce: (text: string) => void;
}

const Context = createContext<Services | undefined>(undefined);
export const ServicesProvider = Context.Provider;

export function useServices(): Services {
  const services = useContext(Context);
  if (!services) throw new Error('there are no services outside their provider');
  return services;
}
