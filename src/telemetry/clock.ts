/** Returns milliseconds since the epoch. Passed in wherever time is needed, so that tests can control it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Injection token of the server's Clock. */
export const CLOCK = Symbol('Clock');
