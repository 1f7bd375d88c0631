import { Command } from 'commander';
import type { ServerSettings } from '../server/config/server-settings.js';
import type { MigrationStatus } from '../storage/maintenance/migration-status.js';
import { CommandError, EXIT_FINDINGS, warn } from './output/command-error.js';
import { DATABASE_SETTINGS } from './database-access.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver migrate status --database-url postgresql://user:password@host:5432/database
  DATABASE_URL=postgresql://user:password@host:5432/database coordination-apiserver migrate up`;

type Work = 'status' | 'up' | 'down';

/** `migrate`: manages the database schema without serving. */
export function migrateCommand(): Command {
  const status = new Command('status').description('Lists the migrations and whether each is applied; changes nothing.');
  const check = new Command('check').description(
    'Like status, but exits with code 2 unless exactly the migrations of this version are applied. Both list what each pending migration locks, which takes milliseconds whatever the size, and whose transactions it would wait for now.',
  );
  const up = new Command('up').description('Applies pending migrations, as the server does at start.');
  const down = new Command('down')
    .description('Reverts the newest migration; the data that it added is lost. Stop all servers and make a backup first.')
    .option('--yes', 'Confirms the revert.', false);
  return new Command('migrate')
    .description('Manages the schema of the database.')
    .addCommand(finish(status, 'status'))
    .addCommand(finish(check, 'status', requireCurrent))
    .addCommand(finish(up, 'up'))
    .addCommand(finish(down, 'down'))
    .addHelpText('after', EXAMPLES);
}

function finish(command: Command, work: Work, judge?: (migrations: readonly MigrationStatus[]) => void): Command {
  command.addOption(outputOption()).addHelpText('after', EXAMPLES);
  addSettingOptions(command, DATABASE_SETTINGS);
  return command.action(async ({ output, yes }: { output: OutputFormat; yes?: boolean }, self: Command) => {
    if (yes === false) throw new CommandError('migrate down loses data: pass --yes to confirm');
    const migrations = await onDatabase(configOf(self), work);
    writeResult(output, migrations, [
      ['MIGRATION', 'STATE', 'LOCKS BRIEFLY'],
      ...migrations.map((migration) => [migration.name, migration.state, locksOf(migration)]),
    ]);
    for (const { name, waitsFor = [] } of migrations) {
      for (const holder of waitsFor) warn(`${name} would wait now: ${holder}`);
    }
    judge?.(migrations);
  });
}

/** What a pending migration locks, and how large it is. */
function locksOf({ locks = [] }: MigrationStatus): string {
  return locks
    .map(({ relation, rows, bytes }) =>
      bytes === null ? `${relation} (a view)` : `${relation} (${rows ?? 0} rows, ${Math.ceil(bytes / 2 ** 20)} MiB)`,
    )
    .join(', ');
}

function requireCurrent(migrations: readonly MigrationStatus[]): void {
  const names = (state: string): string[] => migrations.filter((migration) => migration.state === state).map(({ name }) => name);
  if (names('unknown').length > 0) {
    throw new CommandError(`${names('unknown').join(', ')} from a newer version: use that version`, EXIT_FINDINGS);
  }
  if (names('pending').length > 0) {
    throw new CommandError(`${names('pending').join(', ')} pending: run migrate up with the same settings`, EXIT_FINDINGS);
  }
}

async function onDatabase(config: ServerSettings, work: Work): Promise<MigrationStatus[]> {
  const { embeddedPostgres } = await import('../server/embedded-postgres/embedded-database.js');
  if (embeddedPostgres(config, process.env)) {
    throw new CommandError('the server migrates the embedded PostgreSQL at each start: pass --database-url for another one');
  }
  const { givenDatabaseUrl } = await import('../storage/database/start/database-url.js');
  const { applyMigrations, readMigrationStatus, revertNewest } = await import('../storage/maintenance/migration-status.js');
  const { createLogger } = await import('../telemetry/logger.js');
  const logger = createLogger(config);
  const options = { url: givenDatabaseUrl(config), schema: config.databaseSchema, pooling: config.databasePooling };
  if (work === 'up') await applyMigrations(options, logger);
  if (work === 'down') await revertNewest(options, logger, warn);
  return readMigrationStatus(options, logger);
}
