import { IsIn, Matches, Max, Min } from 'class-validator';
import { Setting } from '../settings/setting.js';
import { HTTP2_IMPLEMENTATIONS } from './connections/http2-session.js';
import type { Http2Implementation } from './connections/http2-session.js';
import { DEFAULT_CLIENT_TIMEOUTS } from './connections/client-timeouts.js';
import { DEFAULT_MEMORY_LIMITS } from './ledger/memory-limits.js';

const NOT_NEGATIVE = 'must not be negative';

/** What is served over HTTP, and how much of it at a time. */
export class ServingSettings {
  @Setting({ kind: 'boolean', help: 'Serves Swagger UI at /swagger, to everybody: it holds no secrets.', placeholder: 'bool' })
  swaggerUi = true;

  @Setting({
    kind: 'boolean',
    help: 'Serves the dashboard at /ui/, to everybody: it holds no secrets, and shows its users what they may see.',
    placeholder: 'bool',
  })
  ui = true;

  @Setting({
    kind: 'list',
    help: "Origins, such as https://dashboard.example, whose pages may watch over WebSockets with their user's client certificate, or with none; this server's own always may, and with a token any may.",
    placeholder: 'origins',
  })
  @Matches(/^https?:\/\/[^/?#]+$/, { each: true, message: 'must be origins like https://dashboard.example' })
  webSocketAllowedOrigins: string[] = [];

  @Setting({
    kind: 'boolean',
    help: 'Shares the --max-requests-inflight and --max-mutating-requests-inflight, added up, among priority levels with fair queues.',
    placeholder: 'bool',
  })
  enablePriorityAndFairness = true;

  @Setting({ kind: 'integer', help: 'The most reading requests that are served at a time; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxRequestsInflight = 400;

  @Setting({ kind: 'integer', help: 'The most writing requests that are served at a time; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxMutatingRequestsInflight = 200;

  @Setting({
    kind: 'integer',
    help: 'The most watches that one user may have open, except members of system:masters; 0 sets no limit.',
    placeholder: 'count',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxWatchesPerUser = 2000;

  @Setting({
    kind: 'integer',
    help: 'The most connections that are open at a time; 0 sets no limit, -1 takes what a quarter of the memory of the process is enough for, 1000 to 10000, which workers share. Beyond it, the one without a known user that has been idle for longest is closed.',
    placeholder: 'count',
  })
  @Min(-1, { message: 'must be -1 or more' })
  maxConnections = -1;

  @Setting({
    kind: 'integer',
    help: 'The most connections from one remote address, which for IPv6 is a /64; 0 sets no limit, -1 is half of --max-connections. Clients behind a proxy share its address.',
    placeholder: 'count',
  })
  @Min(-1, { message: 'must be -1 or more' })
  maxConnectionsPerAddress = -1;

  @Setting({
    kind: 'integer',
    help: 'The most requests at a time on one HTTP/2 connection; 0 is 100.',
    placeholder: 'count',
  })
  @Min(0, { message: NOT_NEGATIVE })
  http2MaxStreamsPerConnection = 0;

  @Setting({
    kind: 'duration',
    help: 'How long a client may leave an answer unread; then the answer is reset, or the connection closed. 0 waits for ever.',
  })
  @Min(0, { message: NOT_NEGATIVE })
  answerStallTimeout = DEFAULT_CLIENT_TIMEOUTS.stallMs;

  @Setting({
    kind: 'integer',
    help: 'The most bytes that all clients make the server hold; then the largest users are cut off. 0 sets no limit.',
    placeholder: 'bytes',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxHeldBytes = DEFAULT_MEMORY_LIMITS.process;

  @Setting({
    kind: 'integer',
    help: 'The most bytes that one user, or one address before authentication, makes the server hold; 0 sets no limit.',
    placeholder: 'bytes',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxHeldBytesPerUser = DEFAULT_MEMORY_LIMITS.owner;

  @Setting({ kind: 'integer', help: 'The most bytes that one connection makes the server hold; 0 sets no limit.', placeholder: 'bytes' })
  @Min(0, { message: NOT_NEGATIVE })
  maxHeldBytesPerConnection = DEFAULT_MEMORY_LIMITS.connection;

  @Setting({
    kind: 'text',
    help: "The implementation of HTTP/2: own, this server's, or node, Node.js's with nghttp2, which costs more CPU and is there in case a fault is found in ours.",
    placeholder: 'name',
  })
  @IsIn(HTTP2_IMPLEMENTATIONS, { message: 'must be own or node' })
  http2Implementation: Http2Implementation = 'own';

  @Setting({
    kind: 'number',
    help: 'The share of HTTP/2 requests after which the client is asked to reconnect, so that clients spread over servers: 0 to 0.02.',
    placeholder: 'chance',
  })
  @Min(0, { message: 'must be between 0 and 0.02' })
  @Max(0.02, { message: 'must be between 0 and 0.02' })
  goawayChance = 0;

  @Setting({ kind: 'duration', help: 'How long a request other than a watch may take.' })
  @Min(1, { message: 'must be longer than 0' })
  requestTimeout = 60_000;

  @Setting({
    kind: 'integer',
    help: 'The shortest time, in seconds, for which a watch without a timeout lasts; each lasts up to twice that.',
    placeholder: 'seconds',
  })
  @Min(1, { message: 'must be at least 1' })
  minRequestTimeout = 1800;

  @Setting({ kind: 'duration', help: 'Requests other than watches that take longer are logged; 0 logs none.' })
  @Min(0)
  slowRequestThreshold = 500;

  static conflict({ enablePriorityAndFairness, maxRequestsInflight, maxMutatingRequestsInflight }: ServingSettings): string | undefined {
    if (!enablePriorityAndFairness || maxRequestsInflight + maxMutatingRequestsInflight > 0) return undefined;
    return '--max-requests-inflight and --max-mutating-requests-inflight must not both be 0 with --enable-priority-and-fairness';
  }
}
