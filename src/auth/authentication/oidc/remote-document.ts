import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { textWithin } from '../../../kube/text-within.js';

/** A fetched JSON document. */
interface RemoteDocument {
  readonly value: Readonly<Record<string, unknown>>;
  /** Cache lifetime in seconds, if the response has one. */
  readonly maxAgeSeconds?: number;
}

/** Fetches a document. Rejects with an Error whose message is one line. */
export type GetDocument = (url: string) => Promise<RemoteDocument>;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1 << 20;
const MAX_REDIRECTS = 5;

/** Fetches documents over HTTPS. `authority`: PEM of the servers' CA; '': the system's CAs. */
export function httpsDocuments(authority: string): GetDocument {
  const agent = new https.Agent({ keepAlive: false, ...(authority === '' ? {} : { ca: authority }) });
  return (url) => follow(url, agent, MAX_REDIRECTS);
}

async function follow(url: string, agent: https.Agent, redirects: number): Promise<RemoteDocument> {
  const response = await request(url, agent);
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    response.destroy();
    if (redirects === 0) throw new Error(`${url} redirects too often`);
    return follow(new URL(headers.location, url).href, agent, redirects - 1);
  }
  const text = await textWithin(response, MAX_BYTES, () => new Error(`the response of ${url} is too large`));
  if (statusCode !== 200) throw new Error(`${url} responded with ${statusCode}`);
  const maxAge = /(?:^|[\s,])max-age=(\d+)/i.exec(headers['cache-control'] ?? '')?.[1];
  return { value: parsed(text, url), ...(maxAge === undefined ? {} : { maxAgeSeconds: Number(maxAge) }) };
}

function request(url: string, agent: https.Agent): Promise<IncomingMessage> {
  if (!url.startsWith('https:')) return Promise.reject(new Error(`${url} is not an https URL`));
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const sent = https.get(url, { agent, signal, headers: { accept: 'application/json' } }, resolve);
    sent.on('error', (error) => reject(new Error(`cannot get ${url}: ${signal.aborted ? 'no response in time' : error.message}`)));
  });
}

function parsed(text: string, url: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Reported below.
  }
  throw new Error(`the response of ${url} is not a JSON object`);
}
