/** The result of one check. `problem`: the server does not work correctly; `warning`: it works, but something may become lost or slow. */
export interface Diagnosis {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
}

const RELOAD = 'select pg_reload_conf()';
const SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'];

const REMEDIES = new Map<string, (detail: string) => readonly string[]>(
  Object.entries({
    durability: (detail: string) => [
      ...SETTINGS.filter((name) => detail.includes(name)).map((name) => `psql -c 'alter system set ${name} = on'`),
      `psql -c '${RELOAD}'`,
    ],
    replication: () => [`psql -c "alter system set synchronous_standby_names = 'FIRST 1 (*)'"`, `psql -c '${RELOAD}'`],
    connections: () => [
      `psql -c 'select application_name, usename, count(*) from pg_stat_activity group by 1, 2 order by 3 desc'`,
      `psql -c 'alter system set max_connections = 200'   # and restart PostgreSQL`,
    ],
    'long transactions': () => [
      `psql -c 'select pid, usename, state, xact_start, query from pg_stat_activity where xact_start is not null order by xact_start'`,
      `psql -c 'select pg_terminate_backend(PID)'`,
    ],
    clocks: () => ['timedatectl set-ntp true   # on this machine, and on that of the database'],
    migrations: (detail: string) => (detail.includes('newer') ? [] : ['coordination-apiserver migrate up']),
    maintenance: () => ['coordination-apiserver serve   # or, without a server: coordination-apiserver compact'],
    'revision log': () => ['coordination-apiserver compact'],
  }),
);

/** Commands to copy that may fix a finding; empty if nothing is wrong, or if the fix takes more than a line. */
export function remedies({ check, state, detail }: Diagnosis): readonly string[] {
  if (state === 'ok') return [];
  return REMEDIES.get(check)?.(detail) ?? [];
}
