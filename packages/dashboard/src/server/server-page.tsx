import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { type ApiClient, ApiFailure } from '../api/api-client.js';
import { useAsked } from '../shell/use-live.js';
import { useServices } from '../shell/services.js';
import { showText } from '../text/show-text.js';
import { type Metrics, parseHealth, parseMetrics, readGauges } from './parse-metrics.js';

const EVERY_MS = 3000;
/** A gauge with more characters takes two columns. */
const LONGEST = 11;

/** The health of the server itself, as far as the user's rights show it. */
export function ServerPage(): JSX.Element {
  return (
    <>
      <div class="page-title">
        <h1>Server</h1>
        <p class="muted">The server that responded last. Behind a load balancer this can be any replica.</p>
      </div>
      <div class="server">
        <Health />
        <Version />
        <Gauges />
      </div>
    </>
  );
}

function Health(): JSX.Element {
  const { client } = useServices();
  const { answer, failure } = useAsked('health', (signal) => readHealth(client, signal), EVERY_MS);
  return (
    <section class="card" aria-labelledby="health-title">
      <h2 id="health-title">Ready</h2>
      {failure && <p class="notice notice-warn">{failureText(failure)}</p>}
      <ul class="checks">
        {answer?.map(({ check, ok, detail }) => (
          <li key={check} class={ok ? 'check-good' : 'check-bad'}>
            <span class="check-sign" aria-hidden="true">
              {ok ? '✓' : '✕'}
            </span>
            <span>{check}</span>
            <span class="muted">{showText(detail)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A server that is not ready answers 500, with the same lines. */
async function readHealth(client: ApiClient, signal: AbortSignal): Promise<ReturnType<typeof parseHealth>> {
  try {
    return parseHealth(await client.text('/readyz?verbose', { accept: 'text/plain', signal }));
  } catch (error) {
    const lines = error instanceof ApiFailure ? parseHealth(error.message) : [];
    if (lines.length > 0) return lines;
    throw error;
  }
}

interface VersionInfo {
  readonly gitVersion?: string;
  readonly platform?: string;
  readonly compiler?: string;
}

function Version(): JSX.Element {
  const { client, clock } = useServices();
  const { answer, failure } = useAsked('version', (signal) => client.json<VersionInfo>('/version', { signal }), 30_000);
  return (
    <section class="card" aria-labelledby="version-title">
      <h2 id="version-title">Version</h2>
      {failure && <p class="notice notice-warn">{failureText(failure)}</p>}
      <dl class="facts">
        <div>
          <dt>Server</dt>
          <dd>{showText(answer?.gitVersion ?? '')}</dd>
        </div>
        <div>
          <dt>Platform</dt>
          <dd>{showText(answer?.platform ?? '')}</dd>
        </div>
        <div>
          <dt>Its clock</dt>
          <dd>{clockText(clock.offsetMs)}</dd>
        </div>
      </dl>
    </section>
  );
}

function clockText(offsetMs: number): string {
  if (offsetMs === 0) return 'agrees with this computer’s';
  return `${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this computer’s`;
}

function Gauges(): JSX.Element {
  const { client } = useServices();
  const before = useRef<Metrics | undefined>(undefined);
  const { answer, failure } = useAsked(
    'metrics',
    async (signal) => {
      const metrics = parseMetrics(await client.text('/metrics', { accept: 'text/plain', signal }));
      const gauges = readGauges(metrics, before.current);
      before.current = metrics;
      return gauges;
    },
    EVERY_MS,
  );
  return (
    <section class="card overview-wide" aria-labelledby="metrics-title">
      <h2 id="metrics-title">Metrics</h2>
      {failure && <p class="notice notice-warn">{failureText(failure)}</p>}
      <div class="gauges">
        {answer?.map(({ name, value, meaning }) => (
          <div key={name} class={`gauge${value.length > LONGEST ? ' gauge-wide' : ''}`} title={meaning}>
            <span class="label">{name}</span>
            <span class="gauge-value">{value}</span>
            <span class="muted">{meaning}</span>
          </div>
        ))}
      </div>
    </section>
  );
}

function failureText({ status, message }: ApiFailure): string {
  return status === 403 ? `You do not have the right to see this: ${showText(message, 300)}` : showText(message, 300);
}
