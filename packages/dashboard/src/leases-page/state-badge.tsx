import type { JSX } from 'preact';
import type { StateFilter } from '../leases/lease-query.js';

export const STATE_NAMES: Readonly<Record<StateFilter, string>> = {
  held: 'Held',
  due: 'Due',
  expired: 'Expired',
  released: 'Released',
  'never-held': 'Never held',
  flapping: 'Flapping',
};

/** The meaning of each state, in a sentence. */
export const STATE_MEANINGS: Readonly<Record<StateFilter, string>> = {
  held: 'Renewed in time.',
  due: 'More than two thirds of its duration have passed without a renewal: the holder has most likely stopped leading.',
  expired: 'Its duration has passed without a renewal: any candidate may take it.',
  released: 'Its last holder released it.',
  'never-held': 'It was created, but never held.',
  flapping: 'Its holder changed three times or more within the last ten minutes, as far as this page knows.',
};

/** States differ by shape, not only by colour. */
export function StateIcon({ state }: { readonly state: StateFilter }): JSX.Element {
  return (
    <svg class={`state-icon state-${state}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      {SHAPES[state]}
    </svg>
  );
}

const SHAPES: Readonly<Record<StateFilter, JSX.Element>> = {
  held: <circle cx="8" cy="8" r="6" class="filled" />,
  due: (
    <>
      <circle cx="8" cy="8" r="6" class="lined" />
      <path d="M8 4.500V8l2.500 1.800" class="lined" />
    </>
  ),
  expired: <path d="M8 1.500 15 14H1z" class="filled" />,
  released: <circle cx="8" cy="8" r="5.500" class="lined" />,
  'never-held': <circle cx="8" cy="8" r="5.500" class="lined dashed" />,
  flapping: <path d="M1.500 6h10l-3-3.500M14.500 10h-10l3 3.500" class="lined" />,
};

export function StateBadge({ state }: { readonly state: StateFilter }): JSX.Element {
  return (
    <span class={`badge state-${state}`} title={STATE_MEANINGS[state]}>
      <StateIcon state={state} />
      {STATE_NAMES[state]}
    </span>
  );
}
