import type { IncomingHttpHeaders } from 'node:http';
import { constants, gunzipSync } from 'node:zlib';
import { decodeBody } from '../../conformance/replay/wire/decode-body.js';
import { eventFrames } from '../../conformance/replay/wire/event-frames.js';
import type { KnownValues } from '../known-values.js';
import type { Plain, Question } from '../question.js';
import type { ComparedAnswer } from './compared-answer.js';
import { Normalizer } from './normalize.js';

/** A response as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the client cut it off, as for a watch. */
  readonly open: boolean;
}

const HEADERS = ['content-type', 'warning', 'retry-after', 'x-content-type-options', 'allow', 'location', 'www-authenticate'].concat([
  'content-encoding',
  'vary',
]);

/** Records what a response says about objects, and makes it comparable. */
export function readAnswer(question: Question, { status, headers, body: sent, open }: RawAnswer, known: KnownValues): ComparedAnswer {
  const contentType = headers['content-type'] ?? '';
  // A stream that was cut off ends within a member.
  const body = headers['content-encoding'] === 'gzip' ? gunzipSync(sent, { finishFlush: constants.Z_SYNC_FLUSH }) : sent;
  const text = body.toString('utf8');
  const decoded = decode(contentType, body, text, open);
  const normalizer = new Normalizer(known, Date.now);
  const compared = {
    status,
    headers: Object.fromEntries(
      HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, normalizer.text(String(headers[name]))]])),
    ),
    layout: /json/.test(contentType) && text.startsWith('{') && !open ? (text.startsWith('{\n') ? 'indented' : 'compact') : '',
    body: normalizer.body(withoutStrangers(question, decoded, known)),
  };
  if (status < 300) note(question, decoded, known);
  return compared;
}

function decode(contentType: string, body: Buffer, text: string, open: boolean): unknown {
  if (open) {
    const frames = eventFrames(contentType, () => false);
    return { events: [...frames.take(body), ...frames.end()] };
  }
  // As in the answer to HEAD.
  if (body.length === 0) return text;
  try {
    if (contentType.includes('json')) return JSON.parse(text);
  } catch {
    return { unreadable: text };
  }
  return decodeBody(body, contentType) ?? text;
}

function note({ method, path }: Question, decoded: unknown, known: KnownValues): void {
  const object = (decoded ?? {}) as Plain;
  const own = known
    .fill(path)
    .replace(/^(\/apis?\/.*?)\/watch\//, '$1/')
    .replace(/\/+$/, '')
    .replace(/\/(status|finalize)$/, '');
  const collection = method === 'POST' || Array.isArray(object['items']) ? own : own.slice(0, own.lastIndexOf('/'));
  for (const item of (object['items'] as Plain[] | undefined) ?? [object]) known.note(collection, item);
  const { continue: token } = (object['metadata'] ?? {}) as Plain;
  if (typeof token === 'string' && token !== '') known.noteContinue(token);
}

/** Removes objects of other sequences, and those that the servers create themselves, from lists of everything. */
export function withoutStrangers({ path }: Question, decoded: unknown, known: KnownValues): unknown {
  const { items, events, rows } = (decoded ?? {}) as Plain;
  if (path.includes('namespaces/{{ns}}') || decoded === null || typeof decoded !== 'object') return decoded;
  const own = (item: unknown) => JSON.stringify(item).includes(known.namespace) || !isNamed(item);
  if (Array.isArray(items) || items === null) return { ...counted(decoded as Plain), items: (items ?? []).filter(own) };
  if (Array.isArray(rows)) return { ...counted(decoded as Plain), rows: rows.filter(own) };
  return Array.isArray(events) ? { events: events.filter(own) } : decoded;
}

/** Whether a further page exists also depends on foreign objects. */
function counted(list: Plain): Plain {
  const { remainingItemCount: _count, continue: _continue, ...metadata } = (list['metadata'] ?? {}) as Plain;
  return { ...list, metadata };
}

/** A row without its object has the name in the first cell. */
function isNamed(item: unknown): boolean {
  const [cell] = ((item as Plain | null)?.['cells'] ?? []) as unknown[];
  return JSON.stringify(item).includes('"name":') || String(cell).startsWith('system:');
}
