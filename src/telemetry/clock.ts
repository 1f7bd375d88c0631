/** Milliseconds since the epoch. Whoever needs the time is handed one, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Injection token. */
export const CLOCK = Symbol('Clock');
