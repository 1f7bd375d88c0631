import { isObject } from '../schema/is-object.js';

/** Somebody who contends for a lease. Of two, the one with the greater priority is to hold it. */
export interface Contender {
  readonly holder: string;
  readonly priority: number;
}

/** What a Lease without a strategy says of hand-overs. */
export interface LeaseView {
  /** Empty for nobody. */
  readonly holder: string;
  readonly annotations: Annotations | undefined;
}

export type Annotations = Readonly<Record<string, string>>;

/** The holder's priority, and who asks it to hand over: `{"holder":"a","priority":1,"preferred":{"holder":"b","priority":2}}`. */
export const HAND_OVER = 'coordination-apiserver/hand-over';

/** As for the PriorityClass of a user. */
export const GREATEST_PRIORITY = 1_000_000_000;
/** A candidate makes its attempts at most this many retry periods apart (client-go's JitterFactor, and one). */
const LONGEST_RETRY = 2.2;

export function isPriority(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= GREATEST_PRIORITY;
}

/** How long whoever has handed a lease over leaves it to others: within this time each of them makes an attempt. */
export function standAsideFor(retryPeriod: number): number {
  return retryPeriod * LONGEST_RETRY;
}

/** The annotations of a lease that this contender takes; without a priority it takes no part. */
export function takenBy(own: Contender | undefined, annotations: Annotations = {}): Annotations | undefined {
  const { [HAND_OVER]: _, ...others } = annotations;
  const all = own ? { ...others, [HAND_OVER]: JSON.stringify(own) } : others;
  return Object.keys(all).length > 0 ? all : undefined;
}

/** The annotations of a lease that its holder renews with this priority: whoever asks for it goes on asking. */
export function renewedBy(own: Contender, annotations: Annotations | undefined): Annotations | undefined {
  const said = standing(annotations);
  return said?.holder === own.holder && said.priority === own.priority ? annotations : takenBy(own, annotations);
}

/**
 * The annotations with which a contender asks the holder to hand over; undefined if it has nothing to ask. Only a holder that takes part is asked, and
 * of several contenders the one with the greatest priority stands, the first among equals: two of the same priority never replace each other.
 */
export function asksFor(own: Contender, { holder, annotations }: LeaseView): Annotations | undefined {
  const said = standing(annotations);
  if (!said || holder === '' || said.holder !== holder || said.priority >= own.priority) return undefined;
  if (said.preferred && said.preferred.priority >= own.priority) return undefined;
  const { preferred: _, ...held } = said;
  return { ...annotations, [HAND_OVER]: JSON.stringify({ ...held, preferred: { holder: own.holder, priority: own.priority } }) };
}

/** Who asks this holder to hand over. */
export function preferredTo(own: Contender, { holder, annotations }: LeaseView): string | undefined {
  const said = standing(annotations);
  const isHeld = holder === own.holder && said?.holder === holder;
  return isHeld && said.preferred && said.preferred.priority > own.priority ? said.preferred.holder : undefined;
}

/**
 * For whom a contender leaves a free lease alone, as long as `standAsideFor` says: the one for whom it was handed over. Those without a priority do, too,
 * except clients that know nothing of this.
 */
export function yieldsTo(own: Partial<Contender>, { holder, annotations }: LeaseView): string | undefined {
  const preferred = standing(annotations)?.preferred;
  if (holder !== '' || !preferred || preferred.holder === own.holder) return undefined;
  return preferred.priority >= (own.priority ?? -Infinity) ? preferred.holder : undefined;
}

/** Anybody who may write the lease may write this: what cannot be read says nothing. */
function standing(annotations: Annotations | undefined): (Contender & { readonly preferred?: Contender }) | undefined {
  const said: unknown = parsed(annotations?.[HAND_OVER]);
  const holder = contenderIn(said);
  const preferred = holder && contenderIn((said as { preferred?: unknown }).preferred);
  return holder && { ...holder, ...(preferred && { preferred }) };
}

function contenderIn(said: unknown): Contender | undefined {
  if (!isObject(said)) return undefined;
  const { holder, priority } = said;
  return typeof holder === 'string' && holder !== '' && isPriority(priority) ? { holder, priority } : undefined;
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
