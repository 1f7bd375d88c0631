import { Setting } from '../../settings/setting.js';
import {
  type ConnectionLimits,
  AddressRanges,
  DEFAULT_CLIENT_TIMEOUTS,
  DEFAULT_MAX_STREAMS,
  connectionsThatFit,
} from '../connections/connection-limits.js';
import { type Http2Implementation, HTTP2_IMPLEMENTATIONS } from '../connections/open-connection.js';
import type { RequestLimits } from '../flow-control/create-limits.js';
import { type MemoryLimits, DEFAULT_MEMORY_LIMITS } from '../ledger/connection-account.js';

/** Settings of HTTP and its limits. */
export class ServingSettings {
  static readonly group = 'Limits';

  @Setting({ kind: 'boolean', group: 'Serving', help: 'Serves Swagger UI at /swagger without authentication; it contains no secrets.' })
  swaggerUi = true;

  @Setting({
    kind: 'boolean',
    group: 'Serving',
    help: 'Serves the dashboard at /ui/ without authentication; it contains no secrets, and shows users what they may see.',
  })
  ui = true;

  @Setting({
    kind: 'list',
    group: 'Serving',
    help: "Origins, such as https://dashboard.example, whose pages may make requests, WebSockets included, with the browser's client certificate or without credentials. Pages of this server, and pages that send a token, are always allowed.",
    placeholder: 'origins',
    pattern: /^https?:\/\/[^/?#]+$/,
    message: 'must be origins like https://dashboard.example',
  })
  webSocketAllowedOrigins: string[] = [];

  @Setting({
    kind: 'boolean',
    group: 'Serving',
    help: 'Compresses watches that begin with the objects (sendInitialEvents), for clients that accept gzip: one gzip member at a time, as kube-apiserver 1.37 does. false is for proxies that decompress responses and expect a single member.',
  })
  watchListCompression = true;

  @Setting({
    kind: 'boolean',
    help: 'Divides the sum of --max-requests-inflight and --max-mutating-requests-inflight among priority levels with fair queues.',
  })
  enablePriorityAndFairness = true;

  @Setting({ kind: 'integer', help: 'Limit on concurrent non-mutating requests; 0 sets no limit.', min: 0 })
  maxRequestsInflight = 400;

  @Setting({ kind: 'integer', help: 'Limit on concurrent mutating requests; 0 sets no limit.', min: 0 })
  maxMutatingRequestsInflight = 200;

  @Setting({ kind: 'integer', help: 'Limit on the open watches of one user, except members of system:masters; 0 sets no limit.', min: 0 })
  maxWatchesPerUser = 2000;

  @Setting({
    kind: 'integer',
    help: 'Limit on open connections, divided among workers; 0 sets no limit, -1 allows as many as fit in a quarter of the memory, between 1000 and 10000. At the limit, the longest idle connection without an authenticated user is closed.',
    min: -1,
    message: 'must be -1 or more',
  })
  maxConnections = -1;

  @Setting({
    kind: 'integer',
    help: 'Limit on connections from one remote address (for IPv6, one /64); 0 sets no limit, -1 is half of --max-connections. Clients behind a proxy share its address, unless it names theirs (--proxy-protocol).',
    min: -1,
    message: 'must be -1 or more',
  })
  maxConnectionsPerAddress = -1;

  @Setting({
    kind: 'list',
    group: 'Serving',
    help: 'Addresses of proxies, such as 10.0.0.7 or 10.0.0.0/24, that begin each connection with the address of their client (PROXY protocol, version 1 or 2), before TLS. Their other connections are closed.',
    placeholder: 'addresses',
  })
  proxyProtocol: string[] = [];

  @Setting({ kind: 'integer', help: 'Limit on concurrent requests per HTTP/2 connection; 0 means 100.', min: 0 })
  http2MaxStreamsPerConnection = 0;

  @Setting({
    kind: 'duration',
    help: 'How long a client may leave a response unread before the response is reset or the connection closed; 0 waits forever.',
  })
  answerStallTimeout = DEFAULT_CLIENT_TIMEOUTS.stallMs;

  @Setting({
    kind: 'integer',
    help: 'Limit on the memory in bytes that the server holds for clients; above it, those that use the most are disconnected. 0 sets no limit.',
    placeholder: 'bytes',
    min: 0,
  })
  maxHeldBytes = DEFAULT_MEMORY_LIMITS.process;

  @Setting({
    kind: 'integer',
    help: 'Limit on the memory in bytes that the server holds for one user, or one address before authentication; 0 sets no limit.',
    placeholder: 'bytes',
    min: 0,
  })
  maxHeldBytesPerUser = DEFAULT_MEMORY_LIMITS.owner;

  @Setting({
    kind: 'integer',
    help: 'Limit on the memory in bytes that the server holds for one connection; 0 sets no limit.',
    placeholder: 'bytes',
    min: 0,
  })
  maxHeldBytesPerConnection = DEFAULT_MEMORY_LIMITS.connection;

  @Setting({
    kind: 'text',
    group: 'Serving',
    help: "Implementation of HTTP/2: own is this server's; node is that of Node.js (nghttp2), a slower fallback in case of faults in the first.",
    placeholder: 'name',
    values: HTTP2_IMPLEMENTATIONS,
    message: 'must be own or node',
  })
  http2Implementation: Http2Implementation = 'own';

  @Setting({
    kind: 'number',
    help: 'Fraction of HTTP/2 requests after which the client is asked to reconnect, so that clients spread across servers: 0 to 0.02; 0 behind a kube-apiserver, which would answer some writes with 503.',
    placeholder: 'chance',
    min: 0,
    max: 0.02,
  })
  goawayChance = 0;

  @Setting({ kind: 'duration', help: 'Time limit for requests other than watches.', min: 1, message: 'must be longer than 0' })
  requestTimeout = 60_000;

  @Setting({
    kind: 'integer',
    help: 'Shortest duration in seconds of watches that set no timeout; each lasts up to twice as long.',
    placeholder: 'seconds',
    min: 1,
  })
  minRequestTimeout = 1800;

  @Setting({
    kind: 'duration',
    group: 'Logs and traces',
    help: 'Requests other than watches are logged if they take longer than this; 0 logs none.',
  })
  slowRequestThreshold = 500;

  static conflict(settings: ServingSettings): string | undefined {
    const { enablePriorityAndFairness, maxRequestsInflight, maxMutatingRequestsInflight, proxyProtocol } = settings;
    try {
      new AddressRanges(proxyProtocol);
    } catch (error) {
      return `--proxy-protocol: ${(error as Error).message}`;
    }
    if (!enablePriorityAndFairness || maxRequestsInflight + maxMutatingRequestsInflight > 0) return undefined;
    return '--max-requests-inflight and --max-mutating-requests-inflight must not both be 0 with --enable-priority-and-fairness';
  }
}

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
