import type { Refusal, RefusedRequest } from '../../../endpoints/refusals/refused-requests.js';

/** A cause that is common in practice: what it looks like, and in one sentence what helps whoever runs the program. */
interface Cause {
  readonly applies: (refused: Refusal) => boolean;
  readonly remedy: string | ((refused: RefusedRequest) => string);
}

/** So many conflicts are no race that was lost once. */
const OFTEN = 5;

/** The first that applies counts. */
const CAUSES = {
  ServerFailed: {
    applies: ({ code }) => code >= 500,
    remedy: 'The server could not do it, whoever asked: its log says why, and so does "coordination-apiserver doctor" on its machine.',
  },
  Unauthorized: {
    applies: ({ code }) => code === 401,
    remedy: 'The token or certificate is unknown, revoked or out of date, or of another authority: give the program a new one.',
  },
  NoCredentials: {
    applies: ({ code, reason, user }) => code === 403 && reason === 'Forbidden' && user === 'system:anonymous',
    remedy:
      'The program sends no credentials that this server looks at: give it a token, or a client certificate of an authority in --client-ca-file.',
  },
  NotAllowed: {
    applies: ({ code, reason, field, message }) => code === 403 && reason === 'Forbidden' && field === '' && message.includes(' cannot '),
    remedy: ({ verb, resource, subresource, namespace, user }) =>
      `Let ${user} ${verb} ${plural(resource)}${subresource === '' ? '' : `/${subresource}`} in ${namespace}, by a Role and a RoleBinding; electors need get, create and update.`,
  },
  QuotaExceeded: {
    applies: ({ code, message }) => code === 403 && message.includes('exceeded quota: '),
    remedy:
      'Delete objects, or raise the limit: the message says whose share is used up, and "doctor" and coordination_quota_largest_bytes who has the most.',
  },
  NamespaceNotFound: {
    applies: ({ code, message, namespace }) => code === 404 && message.startsWith(`namespaces "${namespace}" not found`),
    remedy: ({ namespace }) => `Create the namespace ${namespace}, or correct the one in the program's settings.`,
  },
  NamespaceTerminating: {
    applies: ({ code, message }) => code === 403 && message.includes('because it is being terminated'),
    remedy: ({ namespace }) => `The namespace ${namespace} is being deleted: wait, and create it anew.`,
  },
  NoSuchLock: {
    applies: ({ resource, code }) => code === 404 && !resource.includes('.'),
    remedy: ({ resource }) => `This server has no ${resource}: let the election use a Lease as its lock.`,
  },
  VersionNotServed: {
    applies: ({ code, message }) => code === 404 && message.startsWith('the server could not find the requested resource'),
    remedy: ({ resource, apiVersion }) => `This server does not serve ${resource} in ${apiVersion}: use v1, or see --runtime-config.`,
  },
  WrongVersion: {
    applies: ({ code, message }) => code === 400 && message.startsWith('the API version in the data'),
    remedy: ({ apiVersion }) => `Write the apiVersion of the path, which ends in ${apiVersion}, into the object too.`,
  },
  WrongTime: {
    applies: ({ code, message }) => code === 400 && message.includes('parsing time'),
    remedy: wrongTime,
  },
  WrongType: {
    applies: ({ code, message }) => code === 400 && message.includes('json: cannot unmarshal'),
    remedy: ({ message }) => {
      const [, value, field, type] = /cannot unmarshal (.+) into Go struct field \w+\.(\S+) of type (\S+)/.exec(message) ?? [];
      return field === undefined
        ? 'The message names a field with a value of the wrong type.'
        : `${field} has to be ${TYPES.get(type ?? '') ?? type}, not ${value}.`;
    },
  },
  WrongName: {
    applies: ({ code, field }) => code === 422 && field === 'metadata.name',
    remedy: ({ name }) =>
      name === ''
        ? 'The object needs a name.'
        : 'Names of leases are lower case letters, digits, "-" and ".", and begin and end with a letter or digit.',
  },
  OtherName: {
    applies: ({ code, message }) => code === 400 && /^the name(space)? of the .*object .*does not match/.test(message),
    remedy: 'The object has to have the name and the namespace of its path.',
  },
  NoResourceVersion: {
    applies: ({ code, field }) => code === 422 && field === 'metadata.resourceVersion',
    remedy: 'An update has to send the resourceVersion that was read.',
  },
  WrongResourceVersion: {
    applies: ({ code, message }) => (code === 400 && message.includes('ParseUint')) || message.includes('Too large resource version'),
    remedy: 'The resourceVersion is of another server, or none: read the lease here, and send back what was read.',
  },
  OtherObject: {
    applies: ({ code, message }) => code === 409 && message.includes('UID in precondition'),
    remedy: 'The lease was created anew, or the UID is of another server: read the lease here.',
  },
  WrongValue: {
    applies: ({ code }) => code === 422,
    remedy: ({ field }) => `Correct ${field === '' ? 'the object' : field}: the message says which values are allowed.`,
  },
  Exists: {
    applies: ({ reason }) => reason === 'AlreadyExists',
    remedy: ({ count }) =>
      count < OFTEN ? '' : 'The program creates the lease again and again instead of reading it first: it may lack the right to get it.',
  },
  Conflict: {
    applies: ({ reason }) => reason === 'Conflict',
    remedy: ({ count }) =>
      count < OFTEN
        ? ''
        : 'Somebody else writes this lease all the time: two services that share its name, or a program that never reads the lease anew, or has its resourceVersion from another server.',
  },
  Held: {
    applies: ({ code, subresource }) => code === 423 && subresource === 'lock',
    remedy: 'Somebody else holds the lock: wait, as wait=30s does.',
  },
  LockNotHeld: {
    applies: ({ code }) => code === 423,
    remedy: 'The state belongs to whoever holds its lock: take the lock first.',
  },
  TooManyRequests: {
    applies: ({ code }) => code === 429,
    remedy: 'The program asks too often, or for too much at a time: wait as long as Retry-After says.',
  },
  WrongMediaType: {
    applies: ({ code }) => code === 406 || code === 415,
    remedy: 'The message lists the media types that are served; patches need one of their own.',
  },
} as const satisfies Record<string, Cause>;

/** A word for the cause; `Other` if it is none of the common ones. */
export function causeOf(refusal: Refusal): string {
  return Object.entries<Cause>(CAUSES).find(([, { applies }]) => applies(refusal))?.[0] ?? 'Other';
}

/** The remedy, in one sentence for whoever runs the refused program; '' where the message suffices. */
export function remedyFor(refused: RefusedRequest): string {
  const remedy = (CAUSES as Record<string, Cause>)[refused.cause]?.remedy ?? '';
  return typeof remedy === 'string' ? remedy : remedy(refused);
}

/** Whether the program did nothing wrong: somebody else holds the lease, or was faster. */
export function isWaiting({ cause, count }: RefusedRequest): boolean {
  return cause === 'Held' || ((cause === 'Conflict' || cause === 'Exists') && count < OFTEN);
}

const TYPES = new Map([
  ['int32', 'a whole number of at most 2147483647'],
  ['string', 'a string'],
]);

const FORM = 'times look like 2026-01-02T15:04:05.000000Z.';

/** Go's message ends with what it could not read, and what it expected there. */
function wrongTime({ message }: RefusedRequest): string {
  const [, time] = /parsing time "([^"]*)"/.exec(message) ?? [];
  if (time === undefined) return `A time cannot be read; ${FORM}`;
  const digits = /:\d\d\.(\d+)/.exec(time)?.[1]?.length ?? 0;
  if (/\d[+-]\d{4}$/.test(time)) return `"${time}" lacks the colon in its offset, as in +00:00; ${FORM}`;
  if (!/T\d\d:\d\d:\d\d/.test(time)) return `"${time}" is no time of RFC 3339 with seconds; ${FORM}`;
  if (digits === 6) return `"${time}" has to end in Z or in an offset such as +00:00; ${FORM}`;
  const why = digits === 3 ? ' (toISOString() of JavaScript writes three)' : digits === 9 ? ' (Java and Go write nine)' : '';
  return `"${time}" has ${digits} digits after the second, and six are needed${why}; ${FORM}`;
}

function plural(resource: string): string {
  return resource.split('.')[0] ?? '';
}
