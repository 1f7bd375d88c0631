/** The lease of the election. */
export const ELECTION = 'torture-election';

/** In seconds. Longer than the fastest failovers, so that some leaders survive them and some do not. */
export const ELECTION_TIMES = { lease: 6, renew: 4, retry: 0.5 };
