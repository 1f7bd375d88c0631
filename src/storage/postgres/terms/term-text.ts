import { goString } from '../../../apimachinery/go/go-string.js';

/** The columns of a term, its times in microseconds. */
export interface TermColumns {
  readonly namespace: string;
  readonly lease: string;
  readonly token: number;
  readonly lease_uid: string;
  readonly holder: string;
  readonly began: number;
  readonly until: number | null;
  readonly reason: string | null;
  readonly duration_seconds: number | null;
  readonly transitions: number | null;
  readonly renewed: number | null;
  readonly labels: string | null;
  readonly lapsed: boolean | null;
  readonly lapsed_at: number | null;
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

/** SQL: TermColumns of a row of lease_term. */
export const termColumns = (row: string): string =>
  [
    ...OTHERS.map((column) => `(${row}).${column}`),
    ...TIMES.map((column) => `(extract(epoch from (${row}).${column}) * 1000000)::bigint as ${column}`),
  ].join(', ');

/**
 * A term as `lease_term_object` composes it (migrations/0010_lapses.up.sql): lists of terms are composed here, and changes of
 * them there.
 */
export function termText(uid: string, term: TermColumns): string {
  const { namespace, lease, token, began, until, reason, renewed, labels, lapsed, lapses } = term;
  const name = goString(`${lease}.${token}`);
  const created = `${microTime(began).slice(0, 19)}Z`;
  return (
    `{"kind":"LeaseTerm","apiVersion":"history.coordination-apiserver.dev/v1","metadata":{"name":${name}` +
    `,"namespace":${goString(namespace)},"uid":"${uid}","creationTimestamp":"${created}"${labels === null ? '' : `,"labels":${labels}`}` +
    `},"spec":{"leaseName":${goString(lease)},"leaseUID":${goString(term.lease_uid)},"holder":${goString(term.holder)}` +
    `,"fencingToken":"${token}","from":"${microTime(began)}"${number('leaseDurationSeconds', term.duration_seconds)}` +
    `${number('leaseTransitions', term.transitions)}},"status":{"phase":"${until === null ? 'Held' : 'Ended'}"${time('until', until)}` +
    `${reason === null ? '' : `,"reason":"${reason}"`}${time('lastRenewTime', renewed)}${lapsed ? ',"lapsed":true' : ''}` +
    `${time('lapsedAt', term.lapsed_at)}${number('lapses', lapses)}}}`
  );
}

function number(key: string, value: number | null): string {
  return value === null ? '' : `,"${key}":${value}`;
}

function time(key: string, micros: number | null): string {
  return micros === null ? '' : `,"${key}":"${microTime(micros)}"`;
}

function microTime(micros: number): string {
  const ms = Math.floor(micros / 1_000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros - ms * 1_000).padStart(3, '0')}Z`;
}
