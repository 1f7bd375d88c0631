import { badRequest, requestEntityTooLarge } from '../../../../apimachinery/errors/status-errors.js';
import { parseGoDuration } from '../../../../apimachinery/go/parse-go-duration.js';
import type { Query } from '../../../../endpoints/request-info/query.js';

/** What a request wants of a lock. */
export interface LockWish {
  /** Undefined in an unlocking that does not care who holds it. */
  readonly holder: string | undefined;
  readonly seconds: number;
  /** In milliseconds. */
  readonly wait: number;
  /** Terraform's description of its operation, as it sent it. */
  readonly info: string | undefined;
}

const DEFAULT_SECONDS = 60;
/** Terraform does not renew its locks, and expects them to last. */
const FOR_EVER = 2 ** 31 - 1;
/** A request that changes something ends after 34 s. */
const LONGEST_WAIT = 30_000;
const MOST_CHARACTERS = 1024;
const MOST_INFO_BYTES = 8192;

/** Reads `?holder=`, `?duration=` and `?wait=`, and Terraform's body, which names the holder instead. Throws a 400 or 413. */
export function readLockWish(query: Query, body: Buffer): LockWish {
  const info = infoIn(body);
  const holder = info === undefined ? query.first('holder') : holderOfInfo(info);
  if (holder === '' || (holder?.length ?? 0) > MOST_CHARACTERS) throw badRequest(`holder must have 1 to ${MOST_CHARACTERS} characters`);
  const duration = durationIn(query, 'duration');
  const usual = info === undefined ? DEFAULT_SECONDS : FOR_EVER;
  const seconds = duration === undefined ? usual : Math.ceil(duration / 1000);
  if (seconds < 1 || seconds > FOR_EVER) throw badRequest(`duration must be positive, and at most ${FOR_EVER}s`);
  return { holder, seconds, wait: Math.min(durationIn(query, 'wait') ?? 0, LONGEST_WAIT), info };
}

function infoIn(body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  if (body.length > MOST_INFO_BYTES) throw requestEntityTooLarge(`limit is ${MOST_INFO_BYTES}`);
  const info = body.toString('utf8');
  if (holderOfInfo(info) === undefined) throw badRequest('the body is not the lock info of Terraform: an object with an ID');
  return info;
}

/** The holder that a lock info describes, `WHO_ID`; undefined if it is none. */
export function holderOfInfo(info: string): string | undefined {
  try {
    const { ID: id, Who: who } = JSON.parse(info) as { ID?: unknown; Who?: unknown };
    if (typeof id !== 'string' || id === '') return undefined;
    return typeof who === 'string' && who !== '' ? `${who}_${id}` : id;
  } catch {
    return undefined; // whoever sent it gets a 400
  }
}

function durationIn(query: Query, name: string): number | undefined {
  const text = query.first(name);
  if (text === undefined || text === '') return undefined;
  const ms = parseGoDuration(text);
  if (typeof ms !== 'number') throw badRequest(`invalid ${name}: ${ms.error}`);
  if (ms < 0) throw badRequest(`invalid ${name}: it must not be negative`);
  return ms;
}
