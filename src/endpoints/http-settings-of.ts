import type { AuthSettings } from '../auth/auth.settings.js';
import { DEFAULT_CLIENT_TIMEOUTS } from './connections/client-timeouts.js';
import { DEFAULT_MAX_STREAMS } from './connections/connection-limits.js';
import { connectionsThatFit } from './connections/connections-that-fit.js';
import type { ServingSettings } from './serving.settings.js';
import type { HttpSettings } from './settings/http-settings.js';

/** The time that requests in progress have to finish when the server stops. */
const SHUTDOWN_GRACE_MS = 10_000;

/** How requests are served, from the flags. */
export function httpSettingsOf(config: ServingSettings & AuthSettings): HttpSettings {
  return {
    requestTimeoutMs: config.requestTimeout,
    minRequestTimeoutSeconds: config.minRequestTimeout,
    slowRequestMs: config.slowRequestThreshold,
    shutdownGraceMs: SHUTDOWN_GRACE_MS,
    swaggerUi: config.swaggerUi,
    ui: config.ui,
    webSocketAllowedOrigins: config.webSocketAllowedOrigins,
    watchListCompression: config.watchListCompression,
    http2Implementation: config.http2Implementation,
    proxyProtocol: config.proxyProtocol,
    requestClientCertificates: config.clientCaFile !== '' || config.requestheaderClientCaFile !== '',
    limits: {
      priorityAndFairness: config.enablePriorityAndFairness,
      readOnly: config.maxRequestsInflight,
      mutating: config.maxMutatingRequestsInflight,
      watchesPerUser: config.maxWatchesPerUser,
    },
    memory: { process: config.maxHeldBytes, owner: config.maxHeldBytesPerUser, connection: config.maxHeldBytesPerConnection },
    connections: {
      maxConnections: config.maxConnections < 0 ? connectionsThatFit() : config.maxConnections,
      ...(config.maxConnectionsPerAddress < 0 ? {} : { maxPerAddress: config.maxConnectionsPerAddress }),
      maxStreams: config.http2MaxStreamsPerConnection || DEFAULT_MAX_STREAMS,
      goawayChance: config.goawayChance,
      clientTimeouts: { ...DEFAULT_CLIENT_TIMEOUTS, stallMs: config.answerStallTimeout },
    },
  };
}
