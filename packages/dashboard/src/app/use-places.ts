import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Route, formatRoute, parseRoute } from '../route/route.js';
import type { Services } from '../shell/services.js';

/** How an entry of the browser's history was left: what was scrolled how far, and the link that had the focus. */
interface Place {
  readonly hash: string;
  readonly page: number;
  readonly list: number;
  readonly link: string | null;
}

/** A list that is long takes some frames until it is as high as it was. */
const MAX_FRAMES = 30;

/**
 * The route, by the address after #. Entries of the history are numbered in their states: going back to one scrolls to where it was left and gives
 * the focus to the link that had it; a new page begins at its top, and the focus moves there for keyboard users.
 */
export function usePlaces(): { readonly route: Route } & Pick<Services, 'go' | 'back'> {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  const places = useRef(new Map<number, Place>()).current;
  const entry = useRef(0);
  const returned = useRef<Place | undefined>(undefined);
  useEffect(() => {
    entry.current = numberOf(history.state) ?? 0;
    history.replaceState({ entry: entry.current }, '');
    const follow = ({ oldURL }: HashChangeEvent): void => {
      places.set(entry.current, placeNow(new URL(oldURL).hash));
      const known = numberOf(history.state);
      entry.current = known ?? entry.current + 1;
      if (known === undefined) history.replaceState({ entry: entry.current }, '');
      returned.current = known === undefined ? undefined : places.get(known);
      setRoute(parseRoute(location.hash));
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [places]);
  const shown = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const [place, last] = [returned.current, shown.current];
    returned.current = undefined;
    shown.current = `${route.page}/${route.namespace}/${route.name}`;
    if (place) return goTo(place);
    if (last === undefined || last === shown.current) return undefined;
    main()?.scrollTo({ top: 0 });
    main()?.focus({ preventScroll: true });
    return undefined;
  }, [route]);
  const go = useCallback<Services['go']>((change, { replace = false } = {}) => {
    const hash = formatRoute({ ...parseRoute(location.hash), ...change });
    if (replace) {
      history.replaceState(history.state, '', hash);
      setRoute(parseRoute(hash));
    } else location.hash = hash;
  }, []);
  const back = useCallback<Services['back']>(
    (event) => {
      if (places.get(entry.current - 1)?.hash !== new URL((event.currentTarget as HTMLAnchorElement).href).hash) return;
      event.preventDefault();
      history.back();
    },
    [places],
  );
  return { route, go, back };
}

const main = (): HTMLElement | null => document.getElementById('main');
/** The list of leases scrolls by itself. */
const list = (): Element | null => document.querySelector('.scroller');

function numberOf(state: unknown): number | undefined {
  return (state as { readonly entry?: number } | null)?.entry;
}

function placeNow(hash: string): Place {
  const link = document.activeElement?.closest('#main a[href]')?.getAttribute('href') ?? null;
  return { hash, page: main()?.scrollTop ?? 0, list: list()?.scrollTop ?? 0, link };
}

/** Scrolls until the place is reached, or the user does something. */
function goTo({ page, list: ofList, link }: Place): () => void {
  const ended = new AbortController();
  let frames = 0;
  const step = (): void => {
    if (ended.signal.aborted) return;
    main()?.scrollTo({ top: page });
    list()?.scrollTo({ top: ofList });
    const target = link === null ? main() : document.querySelector<HTMLElement>(`#main a[href="${CSS.escape(link)}"]`);
    target?.focus({ preventScroll: true });
    const isThere = target && main()?.scrollTop === page && (list()?.scrollTop ?? 0) === ofList;
    if (!isThere && frames++ < MAX_FRAMES) requestAnimationFrame(step);
    else ended.abort();
  };
  for (const type of ['wheel', 'pointerdown', 'keydown']) addEventListener(type, () => ended.abort(), { signal: ended.signal });
  step();
  return () => ended.abort();
}
