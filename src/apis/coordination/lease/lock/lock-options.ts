import { GREATEST_PRIORITY, isPriority } from '../../../../apimachinery/election/hand-over.js';
import { badRequest, requestEntityTooLarge } from '../../../../apimachinery/errors/status-errors.js';
import { parseGoDuration } from '../../../../apimachinery/go/go-duration.js';
import type { Query } from '../../../../endpoints/request-info/query.js';

export interface LockOptions {
  readonly holder: string | undefined;
  /** Frees the lock whoever holds it. */
  readonly force: boolean;
  readonly seconds: number;
  /** In milliseconds. */
  readonly wait: number;
  /** Of several contenders, the one with the greatest is to hold the lease. */
  readonly priority?: number | undefined;
  /** Terraform's description of its operation, as it sent it. */
  readonly info: string | undefined;
}

const DEFAULT_SECONDS = 60;
/** Terraform does not renew its locks, and expects them to last. */
const FOR_EVER = 2 ** 31 - 1;
/** A request that changes something ends after 34 s. */
const LONGEST_WAIT = 30_000;
const MAX_CHARACTERS = 1024;
const MAX_INFO_BYTES = 8192;

/** Of a body without a byte. `terraform force-unlock` sends it, and no ID. */
const MD5_OF_NOTHING = '1B2M2Y8AsgTpgAmY7PhCfg==';

/**
 * Reads `?holder=`, `?duration=`, `?wait=`, `?priority=` and `?force=`, and Terraform's body, which names the holder instead. That a body is missing forces
 * nothing by itself: some clients, such as node:http, send the body of a DELETE so that by the rules of HTTP/1.1 the request has none.
 * Throws a 400 or 413.
 */
export function parseLockOptions(query: Query, body: Buffer, contentMd5?: string | string[]): LockOptions {
  const info = infoIn(body);
  const holder = info === undefined ? query.first('holder') : holderOfInfo(info);
  if (holder !== undefined) checkHolder(holder);
  // Its answer would be that the client has the lock.
  if (query.has('dryRun')) throw badRequest('locks have no dryRun');
  const duration = durationIn(query, 'duration');
  const usual = info === undefined ? DEFAULT_SECONDS : FOR_EVER;
  const seconds = duration === undefined ? usual : Math.ceil(duration / 1000);
  if (seconds < 1 || seconds > FOR_EVER) throw badRequest(`duration must be positive, and at most ${FOR_EVER}s`);
  const wait = durationIn(query, 'wait') ?? 0;
  if (wait > LONGEST_WAIT) throw badRequest(`wait must be at most ${LONGEST_WAIT / 1000}s: ask again as long as the answer is 423`);
  const force = query.first('force') === 'true' || (holder === undefined && contentMd5 === MD5_OF_NOTHING);
  return { holder, force, seconds, wait, priority: priorityIn(query), info };
}

function checkHolder(holder: string): void {
  if (holder === '' || holder.length > MAX_CHARACTERS) throw badRequest(`holder must have 1 to ${MAX_CHARACTERS} characters`);
  // It would be stored with one character in place of all such bytes, as whom two contenders would be one.
  if (/\p{Cs}|\ufffd/u.test(holder)) throw badRequest('holder is not UTF-8');
}

function infoIn(body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  if (body.length > MAX_INFO_BYTES) throw requestEntityTooLarge(`limit is ${MAX_INFO_BYTES}`);
  const info = body.toString('utf8');
  if (holderOfInfo(info) === undefined) throw badRequest('the body is not the lock info of Terraform: an object with an ID');
  return info;
}

/** The holder that a lock info describes, `WHO_ID`; undefined if it is none. */
export function holderOfInfo(info: string): string | undefined {
  const { id, who } = partsOf(info);
  return id === undefined || who === undefined ? id : `${who}_${id}`;
}

/** The ID in a lock info. `tofu force-unlock` sends it without `Who`. */
export function idOfInfo(info: string): string | undefined {
  return partsOf(info).id;
}

function partsOf(info: string): { readonly id?: string; readonly who?: string } {
  try {
    const { ID: id, Who: who } = JSON.parse(info) as { ID?: unknown; Who?: unknown };
    return { id: filled(id), who: filled(who) };
  } catch {
    return {}; // whoever sent it gets a 400
  }
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function priorityIn(query: Query): number | undefined {
  const text = query.first('priority');
  if (text === undefined) return undefined;
  if (/^-?\d{1,10}$/.test(text) && isPriority(Number(text))) return Number(text);
  throw badRequest(`priority must be a whole number between -${GREATEST_PRIORITY} and ${GREATEST_PRIORITY}`);
}

function durationIn(query: Query, name: string): number | undefined {
  const text = query.first(name);
  if (text === undefined || text === '') return undefined;
  const ms = parseGoDuration(text);
  if (typeof ms !== 'number') throw badRequest(`invalid ${name}: ${ms.error}`);
  if (ms < 0) throw badRequest(`invalid ${name}: it must not be negative`);
  return ms;
}
