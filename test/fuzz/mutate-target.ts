import { query } from './targets.js';
import type { FuzzRequest } from './fuzz-request.js';
import { NASTY_TEXTS, wellFormed } from './nasty-values.js';
import type { Random } from './random.js';

const PIECES: readonly string[] = [
  '/',
  '//',
  '/./',
  '/../',
  '/..',
  '%2F',
  '%2f..%2f',
  '%2e%2e/',
  '%00',
  '%',
  '%g0',
  '%e0%80',
  '%ff',
  '%c0%af',
  '%0d%0a',
  ';a=b',
  '*',
  '\\',
  '+',
  '@',
  ':80',
  '#x',
  '?',
  '??',
  '~',
  'watch/',
  'proxy/',
  'namespaces/',
];

/** Bytes not allowed in an HTTP/1.1 request line: the server may close the connection. */
const HOSTILE = [' ', '\t', '\r', '\n', '\0', '\x7f', '\xff', 'é'];

export function mutateTarget(request: FuzzRequest, random: Random): void {
  const { target } = request;
  const mark = target.includes('?') ? target.indexOf('?') : target.length;
  const [path, rest] = [target.slice(0, mark), target.slice(mark)];
  const at = random.below(path.length + 1);
  const insert = (piece: string) => (request.target = path.slice(0, at) + piece + path.slice(at) + rest);
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      insert(random.pick(PIECES));
      break;
    case 3:
      request.target = path.slice(0, at) + path.slice(Math.min(path.length, at + 1 + random.size(12))) + rest;
      break;
    case 4:
      insert('x'.repeat(random.below(20_000)));
      break;
    case 5:
      insert(random.pick(HOSTILE));
      request.hostile = true;
      break;
    case 6:
      request.target = `https://other.example${target}`;
      // Such a path is invalid in HTTP/2, where nghttp2 may refuse it.
      request.hostile = true;
      break;
    case 7:
      insert(encodeURIComponent(wellFormed(random.pick(NASTY_TEXTS)).slice(0, 2000)));
      break;
    case 8:
      request.target = path + query(random);
      break;
    default:
      request.target = target + (rest === '' ? query(random) : `&${query(random).slice(1)}`);
  }
  if (request.target === '' || !request.target.startsWith('/')) request.hostile = true;
}
