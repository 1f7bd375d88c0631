import https from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import zlib from 'node:zlib';
import { encodeBody } from './encode-body.js';
import { parsed } from './parsed-json.js';
import { layoutOf } from './refine.js';
import type { Answer, Step, Target } from './recording.js';
import { type Variables, fill } from './variables.js';
import { decodeBody } from './wire/decode-body.js';

const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

/** Sends a step's request and resolves with the head of the response. */
export function send(
  target: Target,
  step: Step,
  variables: Variables,
  stream: boolean,
): Promise<{ request: ClientRequest; response: IncomingMessage }> {
  const headers: Record<string, string | string[] | number> = { accept: 'application/json', 'user-agent': 'conformance/1.0' };
  for (const [name, value] of Object.entries(step.headers ?? {})) {
    headers[name.toLowerCase()] = Array.isArray(value) ? value.map((one) => fill(one, variables)) : fill(value, variables);
  }
  for (const [name, value] of Object.entries(headers)) if (value === '') delete headers[name];
  const token = target.identities[step.as ?? 'admin']?.token;
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  const body = encodeBody(step, variables);
  if (body !== undefined) {
    if (body.contentType !== undefined && !('Content-Type' in (step.headers ?? {}))) headers['content-type'] ??= body.contentType;
    headers['content-length'] = body.bytes.length;
  }
  return new Promise((resolve, reject) => {
    const request = https.request(new URL(target.baseUrl + fill(step.path ?? '/', variables)), {
      method: step.method ?? 'GET',
      headers,
      agent: stream ? undefined : agent,
      rejectUnauthorized: false,
    });
    request.on('response', (response) => resolve({ request, response }));
    request.on('error', reject);
    request.setTimeout(stream ? 120_000 : (step.timeoutMs ?? 70_000), () => request.destroy(new Error('client timeout')));
    request.end(body?.bytes);
  });
}

const COMPARED_HEADERS = ['content-type', 'warning', 'retry-after', 'allow', 'location', 'vary', 'cache-control', 'content-encoding'];

/** One request and its complete response. */
export async function exchange(target: Target, step: Step, variables: Variables): Promise<Answer> {
  const { response } = await send(target, step, variables, false);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return answerOf(response, Buffer.concat(chunks), step);
}

function answerOf(response: IncomingMessage, sent: Buffer, step: Step): Answer {
  const headers: Record<string, unknown> = {};
  for (const name of [...COMPARED_HEADERS, ...(step.alsoHeaders ?? [])]) {
    if (response.headers[name] !== undefined) headers[name] = response.headers[name];
  }
  const bytes = response.headers['content-encoding'] === 'gzip' ? zlib.gunzipSync(sent) : sent;
  const answer: Answer = { status: response.statusCode, headers, body: bodyOf(bytes, response.headers['content-type'] ?? '', step) };
  if (step.layout) answer['layout'] = layoutOf(bytes.toString('utf8'));
  if (step.present) answer['present'] = Object.fromEntries(step.present.map((name) => [name, response.headers[name] !== undefined]));
  return answer;
}

function bodyOf(bytes: Buffer, contentType: string, step: Step): unknown {
  const decoded = step.decode && bytes.length > 0 ? decodeBody(bytes, contentType) : undefined;
  if (decoded !== undefined) return decoded;
  if (contentType.includes('json') && !step.raw) return parsed(bytes.toString('utf8'));
  return /protobuf|cbor|octet/.test(contentType) ? { base64: bytes.toString('base64') } : bytes.toString('utf8');
}
