import type { TLSSocket } from 'node:tls';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { LOGGER, LineBudget } from '../../telemetry/logger.js';
import type { Counter, CounterFamily } from '../../telemetry/metrics/metric-family.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { tcpSocketOf } from './open-connection.js';

const LINES_PER_SECOND = 5;

/** OpenSSL's words for the alerts by which clients refuse the server's certificate, which differ with their TLS library, and for no common TLS; the last
 * is this server's own. */
const REASONS: readonly (readonly [words: RegExp, reason: string])[] = [
  [/ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNSUPPORTED_CERTIFICATE)$/, 'certificate not trusted'],
  [/ALERT_CERTIFICATE_EXPIRED$/, 'certificate expired'],
  [/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|NO_SHARED_CIPHER|HANDSHAKE_FAILURE/, 'no common protocol'],
  [/HTTP_REQUEST$/, 'plain HTTP'],
  [/PROXY_HEADER$/, 'no PROXY header'],
];

/** Clients that never got as far as a request, and whom the server knows by their address alone. */
@Injectable()
export class FailedHandshakes {
  readonly #failed: CounterFamily;
  readonly #all: Counter;
  readonly #budget = new LineBudget(LINES_PER_SECOND);

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CLOCK) private readonly now: Clock,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
  ) {
    const help = "TLS handshakes that failed: the client does not trust the server's certificate, or speaks another protocol.";
    this.#all = main
      .counter({
        name: 'apiserver_tls_handshake_errors_total',
        help: 'Connections that ended without a TLS handshake, for whatever reason.',
      })
      .with();
    this.#failed = main.counter({ name: 'coordination_tls_handshakes_failed_total', help, labels: ['reason'] });
  }

  /** A client that only connects and leaves, as probes do, is none. */
  add({ code = '' }: NodeJS.ErrnoException, socket: TLSSocket): void {
    this.#all.inc();
    const reason = REASONS.find(([words]) => words.test(code))?.[1];
    if (reason === undefined) return;
    this.#failed.with(reason).inc();
    const suppressed = this.#budget.take(this.now());
    if (suppressed === undefined) return;
    const { remoteAddress: from } = tcpSocketOf(socket) ?? socket;
    this.logger.info({ reason, from, code, ...(suppressed > 0 && { suppressed }) }, 'TLS handshake failed');
  }
}
