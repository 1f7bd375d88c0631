import { goString } from '../../../apimachinery/go/go-string.js';

/** The columns of a term, its times as the API writes them. */
export interface TermColumns {
  readonly namespace: string;
  readonly lease: string;
  readonly token: number;
  readonly lease_uid: string;
  readonly holder: string;
  readonly began: string;
  readonly until: string | null;
  readonly reason: string | null;
  readonly duration_seconds: number | null;
  readonly transitions: number | null;
  readonly renewed: string | null;
  readonly labels: string | null;
  readonly lapsed: boolean | null;
  readonly lapsed_at: string | null;
  readonly lapses: number | null;
}

const TIMES = ['began', 'until', 'renewed', 'lapsed_at'];
const OTHERS = [
  'namespace',
  'lease',
  'token',
  'lease_uid',
  'holder',
  'reason',
  'duration_seconds',
  'transitions',
  'labels',
  'lapsed',
  'lapses',
];

/** SQL: the columns of lease_term that TermColumns are made of. */
export const TERM_COLUMNS = [...OTHERS, ...TIMES].join(', ');

/** SQL: TermColumns of a row with these columns; times as `lease_micro_time` writes them. */
export const termColumns = (row: string): string =>
  [
    ...OTHERS.map((column) => `${row}.${column}`),
    ...TIMES.map((column) => `to_char(${row}.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${column}`),
  ].join(', ');

/**
 * A term as `lease_term_object` composes it (migrations/functions/terms.sql): lists of terms are composed here, and changes of
 * them there.
 */
export function termText(uid: string, term: TermColumns): string {
  const { namespace, lease, token, began, until, reason, renewed, labels, lapsed, lapses } = term;
  const name = goString(`${lease}.${token}`);
  const created = `${began.slice(0, began.lastIndexOf('.'))}Z`;
  return (
    `{"kind":"LeaseTerm","apiVersion":"history.coordination-apiserver.dev/v1","metadata":{"name":${name}` +
    `,"namespace":${goString(namespace)},"uid":"${uid}","creationTimestamp":"${created}"${labels === null ? '' : `,"labels":${labels}`}` +
    `},"spec":{"leaseName":${goString(lease)},"leaseUID":${goString(term.lease_uid)},"holder":${goString(term.holder)}` +
    `,"fencingToken":"${token}","from":"${began}"${number('leaseDurationSeconds', term.duration_seconds)}` +
    `${number('leaseTransitions', term.transitions)}},"status":{"phase":"${until === null ? 'Held' : 'Ended'}"${time('until', until)}` +
    `${reason === null ? '' : `,"reason":"${reason}"`}${time('lastRenewTime', renewed)}${lapsed ? ',"lapsed":true' : ''}` +
    `${time('lapsedAt', term.lapsed_at)}${number('lapses', lapses)}}}`
  );
}

function number(key: string, value: number | null): string {
  return value === null ? '' : `,"${key}":${value}`;
}

function time(key: string, value: string | null): string {
  return value === null ? '' : `,"${key}":"${value}"`;
}
