import type { JSX } from 'preact';
import { type StateFilter, countStates } from '../leases/lease-query.js';
import { useServices } from '../shell/services.js';
import { useTick } from '../shell/use-live.js';
import { showRate } from '../text/show-time.js';
import { flappingMeaning } from './flapping-meaning.js';
import { STATE_MEANINGS, STATE_NAMES, StateIcon } from './state-badge.js';

const TILES: readonly StateFilter[] = ['held', 'due', 'expired', 'flapping', 'released', 'never-held'];

/** The number of leases in each state, a dash if it is not known; each tile filters the list by its state. */
export function SummaryTiles(): JSX.Element {
  const { live, archive, recent, clock, route, go } = useServices();
  useTick();
  const now = clock.known();
  const counts = countStates(live.store.leases.values(), now, (lease) => recent.flaps(lease, now));
  const { state: follow, store } = live;
  const isKnown = follow.phase !== 'refused' && (store.loaded || store.leases.size > 0);
  const chosen = route.query.state;
  const choose = (state: StateFilter): void => go({ query: { ...route.query, state: chosen === state ? undefined : state } });
  return (
    <div class="tiles">
      <div class="tile-group" role="group" aria-label="Leases by state">
        {TILES.map((state) => (
          <button
            key={state}
            type="button"
            class={`tile state-${state}${isKnown && counts[state] > 0 ? '' : ' tile-none'}`}
            aria-pressed={chosen === state}
            title={state === 'flapping' ? flappingMeaning(archive, recent) : STATE_MEANINGS[state]}
            onClick={() => choose(state)}
          >
            <span class="tile-label">
              <StateIcon state={state} />
              {STATE_NAMES[state]}
            </span>
            <span class="tile-count">{isKnown ? counts[state].toLocaleString('en') : '–'}</span>
          </button>
        ))}
      </div>
      <div class="tile tile-rate">
        <span class="tile-label">Renewals per second</span>
        <span class="tile-count">{showRate(live.store.meter.rate(now))}</span>
        <Sparkline values={live.store.meter.perSecond(now)} label="Renewals per second during the last minute" />
      </div>
    </div>
  );
}

const WIDTH = 120;
const HEIGHT = 32;

/** Values as a line with its area, scaled from 0 to the largest value. */
function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }): JSX.Element {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${(at * step).toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 3)).toFixed(1)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}
