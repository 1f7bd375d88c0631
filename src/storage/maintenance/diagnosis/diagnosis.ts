import type { ConnectedRole } from '../../database/session/connected-role.js';
import { shellWord } from '../../../settings/program-call.js';

/** The result of one check. `problem`: the server does not work correctly; `warning`: it works, but something may become lost or slow. */
export interface Diagnosis {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
}

/** What lines to copy must repeat so that they concern the same database. */
export interface RemedyTarget {
  /** Flags of this program, as words of a shell; '' if the environment or the defaults choose the database. */
  readonly flags: string;
  /** Flags to add to commands that need the key of the shared secrets. */
  readonly keyFlags: string;
  /** psql's argument; '' where the PG* variables choose the database. */
  readonly psql: string;
  /** psql's argument for the user ADMIN. */
  readonly adminPsql: string;
  /** The embedded database, which only a server migrates. */
  readonly isEmbedded: boolean;
  /** The role that the database was checked as. */
  readonly role: Pick<ConnectedRole, 'superuser' | 'stranger'>;
}

interface Calls {
  readonly psql: string;
  /** psql as a superuser, with the comment that ends the line. */
  readonly asAdmin: (sql: string) => string;
  /** A command of this program on the same database. */
  readonly program: (command: string) => string;
  /** A command of this program that needs the key of the shared secrets. */
  readonly withKey: (command: string) => string;
  readonly isEmbedded: boolean;
}

const RELOAD = 'select pg_reload_conf()';
const SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'];
const SQL_TO_RUN = /: run "(.*)" there/;

function sqlToRun(detail: string, { asAdmin }: Calls): readonly string[] {
  const sql = SQL_TO_RUN.exec(detail)?.[1];
  return sql === undefined ? [] : [asAdmin(sql)];
}

const REMEDIES = new Map<string, (detail: string, calls: Calls) => readonly string[]>(
  Object.entries({
    PostgreSQL: sqlToRun,
    rights: sqlToRun,
    durability: (detail: string, { asAdmin }: Calls) => {
      const sql = SQL_TO_RUN.exec(detail)?.[1];
      const everywhere = SETTINGS.filter((name) => detail.includes(name) && !sql?.includes(name));
      return [
        ...(sql === undefined ? [] : [asAdmin(sql)]),
        ...everywhere.map((name) => asAdmin(`alter system set ${name} = on`)),
        ...(everywhere.length > 0 ? [asAdmin(RELOAD)] : []),
      ];
    },
    replication: (detail: string, calls: Calls) => {
      const { asAdmin } = calls;
      if (SQL_TO_RUN.test(detail)) return sqlToRun(detail, calls);
      if (detail.includes('synchronous_commit is local')) return [asAdmin('alter system set synchronous_commit = on'), asAdmin(RELOAD)];
      if (!detail.includes('none synchronous')) return [];
      return [asAdmin("alter system set synchronous_standby_names = 'FIRST 1 (*)'"), asAdmin(RELOAD)];
    },
    connections: (detail: string, { psql, asAdmin }: Calls) => [
      `${psql} -c 'select application_name, usename, count(*) from pg_stat_activity group by 1, 2 order by 3 desc'`,
      `${asAdmin(`alter system set max_connections = ${2 * Number(/of (\d+)/.exec(detail)?.[1] ?? 100)}`)}   # then restart PostgreSQL`,
    ],
    'long transactions': (detail: string, { psql, asAdmin, isEmbedded }: Calls) => {
      const pid = /process (\d+) of/.exec(detail)?.[1];
      if (isEmbedded) return pid === undefined ? [] : [`kill ${pid}   # ends that session of the embedded PostgreSQL`];
      return [
        `${psql} -c 'select pid, usename, state, xact_start, query from pg_stat_activity where xact_start is not null order by xact_start'`,
        ...(pid === undefined ? [] : [asAdmin(`select pg_terminate_backend(${pid})`)]),
      ];
    },
    clocks: () => ['timedatectl set-ntp true   # on this machine, and on that of the database'],
    migrations: (detail: string, { program, withKey, isEmbedded }: Calls) =>
      detail.includes('newer') ? [] : [isEmbedded ? withKey('serve') : program('migrate up')],
    secrets: (_detail: string, { withKey }: Calls) => [
      `${withKey('secrets rekey --old-key-file=FILE')}   # FILE has the key or the database password of the last start`,
    ],
    maintenance: (_detail: string, { program, withKey }: Calls) => [`${withKey('serve')}   # or, without a server: ${program('compact')}`],
    'revision log': (_detail: string, { program }: Calls) => [program('compact')],
  }),
);

/** Checks whose remedies do the server's work, and so must run as the server's role. */
const FOR_SERVERS = ['migrations', 'secrets', 'maintenance', 'revision log'];
/** Checks whose remedies need no psql, which does not reach the embedded database. */
const WITHOUT_PSQL = [...FOR_SERVERS, 'clocks', 'long transactions'];

/**
 * Commands to copy that may fix the findings; none for a check that passed, for one whose fix takes more than a line, and for what only the role of
 * the servers may do, unless it was checked as that. While PostgreSQL itself has a problem, such as a missing privilege, a migration would fail.
 */
export function remedies(
  all: readonly Diagnosis[],
  { flags, keyFlags, psql, adminPsql, isEmbedded, role }: RemedyTarget,
): readonly string[] {
  const called = (...words: string[]): string => ['coordination-apiserver', ...words].filter((word) => word !== '').join(' ');
  const query = `psql ${psql}`.trim();
  const asAdmin = (sql: string): string => `psql ${adminPsql} -c ${shellWord(sql)}   # ADMIN: a superuser of this PostgreSQL`;
  const calls: Calls = {
    psql: query,
    asAdmin: role.superuser ? (sql) => `${query} -c ${shellWord(sql)}` : asAdmin,
    program: (command) => called(command, flags),
    withKey: (command) => called(command, flags, keyFlags),
    isEmbedded,
  };
  const wrong = all.filter(({ state }) => state !== 'ok');
  const isUnusable = wrong.some(({ check, state }) => check === 'PostgreSQL' && state === 'problem');
  return wrong
    .filter(({ check }) => !(isUnusable && check === 'migrations') && !(role.stranger && FOR_SERVERS.includes(check)))
    .filter(({ check }) => !isEmbedded || WITHOUT_PSQL.includes(check))
    .flatMap(({ check, detail }) => REMEDIES.get(check)?.(detail, calls) ?? []);
}
