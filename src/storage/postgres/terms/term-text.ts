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
  /** By the clock of the holder, which may say any year: more than a number can hold exactly. */
  readonly renewed: string | null;
  readonly labels: string | null;
  readonly lapsed: boolean | null;
  readonly lapsed_at: number | null;
  readonly lapses: number | null;
}

const TIMES = ['began', 'until', 'lapsed_at'];
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
    ...TIMES.map((column) => `${micros(`(${row}).${column}`)} as ${column}`),
    `${micros(`(${row}).renewed`)}::text as renewed`,
  ].join(', ');

const micros = (time: string): string => `(extract(epoch from ${time}) * 1000000)::bigint`;

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
    `${reason === null ? '' : `,"reason":"${reason}"`}${renewal(renewed)}${lapsed ? ',"lapsed":true' : ''}` +
    `${time('lapsedAt', term.lapsed_at)}${number('lapses', lapses)}}}`
  );
}

function number(key: string, value: number | null): string {
  return value === null ? '' : `,"${key}":${value}`;
}

function time(key: string, micros: number | null): string {
  return micros === null ? '' : `,"${key}":"${microTime(micros)}"`;
}

function renewal(micros: string | null): string {
  if (micros === null) return '';
  const all = BigInt(micros);
  const rest = ((all % 1_000n) + 1_000n) % 1_000n;
  return `,"lastRenewTime":"${text(Number((all - rest) / 1_000n), Number(rest))}"`;
}

function microTime(micros: number): string {
  const ms = Math.floor(micros / 1_000);
  return text(ms, micros - ms * 1_000);
}

function text(ms: number, micros: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}
