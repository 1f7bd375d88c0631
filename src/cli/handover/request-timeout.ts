/** How long one request of a handover may take; a freeze is not much longer. */
export const REQUEST_TIMEOUT_MS = 10_000;
