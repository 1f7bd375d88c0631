import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { hasTooManyValues } from '../../../../apimachinery/codec/limits/body-limits.js';
import { badRequest } from '../../../../apimachinery/errors/status-errors.js';

/** A state as Terraform sent it, and what Terraform calls its serial and lineage. */
export interface StateBody {
  readonly data: string;
  readonly serial: number | undefined;
  readonly lineage: string | undefined;
}

const MAX_CHARACTERS = 256;
/** A state of the largest size has a tenth of this, and parsing it takes no longer than the bytes of any body. */
const MAX_STATE_VALUES = 200_000;

/**
 * Checks that a body is a JSON object and arrived whole; encrypted states of OpenTofu are one, too. Nothing else in it matters here. Throws a 400
 * that quotes nothing of the body, which contains secrets.
 */
export function parseStateBody(body: Buffer, contentMd5: string | string[] | undefined): StateBody {
  if (contentMd5 !== undefined && contentMd5 !== md5Of(body)) throw badRequest('the body does not have the sum in Content-MD5');
  if (!isUtf8(body)) throw badRequest('the state is not UTF-8');
  if (hasTooManyValues(body, MAX_STATE_VALUES)) throw badRequest(`the state has more than ${MAX_STATE_VALUES} values`);
  const data = body.toString('utf8');
  const { serial, lineage } = objectIn(data);
  if (serial !== undefined && !isCount(serial)) throw badRequest('the serial of the state is not a whole number');
  if (lineage !== undefined && !isLineage(lineage)) throw badRequest('the lineage of the state is not a short text');
  return { data, serial, lineage };
}

/** The sum in Content-MD5. */
export function md5Of(body: Buffer | string): string {
  return createHash('md5').update(body).digest('base64');
}

function objectIn(data: string): { readonly serial?: unknown; readonly lineage?: unknown } {
  let content: unknown;
  try {
    content = JSON.parse(data);
  } catch {
    // The parser's message would quote the state.
    throw badRequest('the state is not JSON');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw badRequest('the state is not a JSON object');
  return content;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** PostgreSQL cannot store a NUL. */
function isLineage(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_CHARACTERS && !value.includes('\0');
}
