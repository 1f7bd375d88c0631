import { goString } from '../../../apimachinery/go/go-string.js';
import { type DatabaseTables, DATABASE_TABLES } from '../../database/statement/database-tables.js';
import { timestamp } from '../../database/statement/sql-type.js';

const { segment: _segment, path: _path, uid: _uid, created: _created, revision: _revision, ...COLUMNS } = DATABASE_TABLES.lease_term;

type Row = Pick<DatabaseTables['lease_term'], keyof typeof COLUMNS>;

/** The columns that a term's text is made of, its times as the API writes them. */
export type TermColumns = { readonly [Column in keyof Row]: Date extends Row[Column] ? string | Exclude<Row[Column], Date> : Row[Column] };

/** SQL: TermColumns of a row; times as `lease_micro_time` writes them. */
export const termColumns = (row: string): string =>
  Object.entries(COLUMNS)
    .map(([column, { name }]) =>
      name === timestamp.name
        ? `to_char(${row}.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${column}`
        : `${row}.${column}`,
    )
    .join(', ');

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
