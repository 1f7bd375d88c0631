import { DEFAULT_MAX_STREAMS } from '../../endpoints/connections/connection-limits.js';
import { connectionsThatFit } from './connections-that-fit.js';
import { DEFAULT_PATIENCE } from '../../endpoints/connections/patience.js';
import type { HttpApplicationOptions } from '../../endpoints/http-application-options.js';
import type { ServerConfig } from '../config/server-config.js';

type HttpSettings = Pick<
  HttpApplicationOptions,
  | 'requestTimeoutMs'
  | 'minRequestTimeoutSeconds'
  | 'shutdownGraceMs'
  | 'slowRequestMs'
  | 'swaggerUi'
  | 'ui'
  | 'webSocketAllowedOrigins'
  | 'limits'
  | 'connections'
  | 'memory'
  | 'http2Implementation'
>;

/** How long requests under way have to end when the server stops. */
const SHUTDOWN_GRACE_MS = 10_000;

/** What the configuration says to the HTTP application alone. */
export function httpSettings(config: ServerConfig): HttpSettings {
  return {
    requestTimeoutMs: config.requestTimeout,
    minRequestTimeoutSeconds: config.minRequestTimeout,
    slowRequestMs: config.slowRequestThreshold,
    shutdownGraceMs: SHUTDOWN_GRACE_MS,
    swaggerUi: config.swaggerUi,
    ui: config.ui,
    webSocketAllowedOrigins: config.webSocketAllowedOrigins,
    http2Implementation: config.http2Implementation,
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
      patience: { ...DEFAULT_PATIENCE, stallMs: config.answerStallTimeout },
    },
  };
}
