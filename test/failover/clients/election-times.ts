/** The lease that the election is about. */
export const ELECTION = 'torture-election';

/** Seconds. Longer than the fastest failovers, so that some leaders outlive them and some do not. */
export const ELECTION_TIMES = { lease: 6, renew: 4, retry: 0.5 };
