import { Command } from 'commander';
import type { ServerConfig } from '../server/config/server-config.js';
import type { MigrationStatus } from '../storage/database/migration-status.js';
import { CommandError, EXIT_FINDINGS } from './command-error.js';
import { DATABASE_SETTINGS } from './database-access.js';
import type { OutputFormat } from './output-format.js';
import { outputOption, writeResult } from './output-format.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver migrate status --database-url postgresql://user:password@host:5432/database
  DATABASE_URL=postgresql://user:password@host:5432/database coordination-apiserver migrate up`;

type Work = 'status' | 'up' | 'down';

/** `migrate`: the schema of a PostgreSQL of one's own, without serving. */
export function migrateCommand(): Command {
  const status = new Command('status').description('Lists the migrations and which of them the database has; changes nothing.');
  const check = new Command('check').description('The same, with exit code 2 unless the database has exactly those of this version.');
  const up = new Command('up').description('Brings the schema up to this version, as a start of the server does.');
  const down = new Command('down')
    .description('Takes the newest migration back. Data that only it has a place for is lost: make a backup, and stop all servers.')
    .option('--yes', 'Do it.', false);
  return new Command('migrate')
    .description('Looks after the schema of the database.')
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
    if (yes === false) throw new CommandError('migrate down loses data: say --yes if that is meant');
    const migrations = await onDatabase(configOf(self), work);
    writeResult(output, migrations, [['MIGRATION', 'STATE'], ...migrations.map(({ name, state }) => [name, state])]);
    judge?.(migrations);
  });
}

function requireCurrent(migrations: readonly MigrationStatus[]): void {
  const names = (state: string): string[] => migrations.filter((migration) => migration.state === state).map(({ name }) => name);
  if (names('unknown').length > 0) throw new CommandError(`${names('unknown').join(', ')} of a newer version: use that`, EXIT_FINDINGS);
  if (names('pending').length > 0) throw new CommandError(`${names('pending').join(', ')} pending: run migrate up`, EXIT_FINDINGS);
}

async function onDatabase(config: ServerConfig, work: Work): Promise<MigrationStatus[]> {
  const { embeddedPostgres } = await import('../server/lifecycle/embedded-database.js');
  if (embeddedPostgres(config, process.env)) {
    throw new CommandError('the embedded PostgreSQL is migrated whenever the server starts: give --database-url for another one');
  }
  const { givenDatabaseUrl } = await import('../server/lifecycle/database-url.js');
  const { applyMigrations, readMigrationStatus, revertMigration } = await import('../storage/database/migration-status.js');
  const { createLogger } = await import('../telemetry/logger.js');
  const logger = createLogger(config);
  const options = { url: givenDatabaseUrl(config), schema: config.databaseSchema, pooling: config.databasePooling };
  if (work === 'up') await applyMigrations(options, logger);
  if (work === 'down') await revertMigration(options, logger);
  return readMigrationStatus(options, logger);
}
