import { type ConnectionLimits, DEFAULT_MAX_STREAMS } from '../connections/connection-limits.js';
import { DEFAULT_CLIENT_TIMEOUTS } from '../connections/client-timeouts.js';
import { connectionsThatFit } from '../connections/connections-that-fit.js';
import type { RequestLimits } from '../flow-control/request-limits.js';
import type { MemoryLimits } from '../ledger/memory-limits.js';
import type { ServingSettings } from './serving.settings.js';

/** The limits of the settings, for those that keep them. */
interface ServingLimits {
  readonly requests: RequestLimits;
  readonly memory: MemoryLimits;
  readonly connections: ConnectionLimits;
}

export function servingLimits(settings: ServingSettings): ServingLimits {
  return {
    requests: {
      priorityAndFairness: settings.enablePriorityAndFairness,
      readOnly: settings.maxRequestsInflight,
      mutating: settings.maxMutatingRequestsInflight,
      watchesPerUser: settings.maxWatchesPerUser,
    },
    memory: { process: settings.maxHeldBytes, owner: settings.maxHeldBytesPerUser, connection: settings.maxHeldBytesPerConnection },
    connections: {
      maxConnections: settings.maxConnections < 0 ? connectionsThatFit() : settings.maxConnections,
      ...(settings.maxConnectionsPerAddress < 0 ? {} : { maxPerAddress: settings.maxConnectionsPerAddress }),
      maxStreams: settings.http2MaxStreamsPerConnection || DEFAULT_MAX_STREAMS,
      goawayChance: settings.goawayChance,
      clientTimeouts: { ...DEFAULT_CLIENT_TIMEOUTS, stallMs: settings.answerStallTimeout },
    },
  };
}
