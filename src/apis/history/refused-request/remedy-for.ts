import type { RefusedRequest } from '../../../endpoints/refusals/refused-requests.js';

/** A cause that is common in practice: what it looks like, and what helps. */
interface Cause {
  readonly applies: (refused: RefusedRequest) => boolean;
  readonly remedy: string | ((refused: RefusedRequest) => string);
}

/** So many refusals of one kind are no race that was lost once. */
const OFTEN = 5;

const CAUSES: readonly Cause[] = [
  {
    applies: ({ code }) => code === 401,
    remedy: 'The token or certificate is unknown, revoked or out of date: give the program a new one.',
  },
  {
    applies: ({ code, reason, user }) => code === 403 && reason === 'Forbidden' && user === 'system:anonymous',
    remedy: 'The program sends no credentials: give it a token or a client certificate.',
  },
  {
    applies: ({ code, reason, field, message }) => code === 403 && reason === 'Forbidden' && field === '' && message.includes(' cannot '),
    remedy: ({ verb, resource, subresource, namespace, user }) =>
      `Let ${user} ${verb} ${resource.split('.')[0] ?? ''}${subresource === '' ? '' : `/${subresource}`} in ${namespace}, by a Role and a RoleBinding; electors need get, create and update.`,
  },
  {
    applies: ({ resource, code }) => code === 404 && !resource.includes('.'),
    remedy: ({ resource }) => `This server has no ${resource}: let the election use a Lease as its lock.`,
  },
  {
    applies: ({ code, message, namespace }) => code === 404 && message.startsWith(`namespaces "${namespace}" not found`),
    remedy: ({ namespace }) => `Create the namespace ${namespace}, or correct the one in the program's settings.`,
  },
  {
    applies: ({ code, message }) => code === 404 && message.startsWith('the server could not find the requested resource'),
    remedy: ({ resource, apiVersion }) => `This server does not serve ${resource} in ${apiVersion}: use v1, or see --runtime-config.`,
  },
  {
    applies: ({ code, message }) => code === 400 && message.includes('parsing time'),
    remedy:
      'Times need six digits and a zone: 2026-01-02T15:04:05.000000Z. toISOString() of JavaScript writes three; offsets like +00:00 are fine.',
  },
  {
    applies: ({ code, field }) => code === 422 && field === 'metadata.name',
    remedy: 'Names of leases are lower case letters, digits, "-" and ".", and begin and end with a letter or digit.',
  },
  {
    applies: ({ code, field }) => code === 422 && field.startsWith('spec.'),
    remedy: ({ field }) => `Correct ${field}: the message says which values are allowed.`,
  },
  {
    applies: ({ code, field }) => code === 422 && field === 'metadata.resourceVersion',
    remedy: 'An update has to send the resourceVersion that was read.',
  },
  {
    applies: ({ reason, count }) => reason === 'AlreadyExists' && count >= OFTEN,
    remedy: 'The program creates the lease again and again instead of reading it first: it may lack the right to get it.',
  },
  {
    applies: ({ reason, count }) => reason === 'Conflict' && count >= OFTEN,
    remedy: 'Somebody else writes this lease all the time: two services that share its name, or a program that never reads the lease anew.',
  },
];

/** One sentence for whoever runs the program that was refused; '' where the message has to do. */
export function remedyFor(refused: RefusedRequest): string {
  const remedy = CAUSES.find(({ applies }) => applies(refused))?.remedy ?? '';
  return typeof remedy === 'string' ? remedy : remedy(refused);
}
