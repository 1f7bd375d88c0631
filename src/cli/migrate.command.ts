import { Command } from 'commander';
import type { ServerConfig } from '../server/config/server-config.js';
import type { MigrationStatus } from '../storage/database/migration-status.js';
import { CommandError } from './command-error.js';
import type { OutputFormat } from './output-format.js';
import { outputOption, writeResult } from './output-format.js';
import { addSettingOptions, configOf } from './setting-options.js';

const SETTINGS = ['data-dir', 'database-url', 'database-password-file', 'log-level'];

const EXAMPLES = `
Examples:
  coordination-apiserver migrate status --database-url postgresql://user:password@host:5432/database
  DATABASE_URL=postgresql://user:password@host:5432/database coordination-apiserver migrate up`;

/** `migrate`: the schema of a PostgreSQL of one's own, without serving. */
export function migrateCommand(): Command {
  const status = new Command('status').description('Lists the migrations and which of them the database has; changes nothing.');
  const up = new Command('up').description('Brings the schema up to this version, as a start of the server does.');
  const run = (command: Command, work: (config: ServerConfig) => Promise<readonly MigrationStatus[]>): Command => {
    command.addOption(outputOption()).addHelpText('after', EXAMPLES);
    addSettingOptions(command, SETTINGS);
    return command.action(async ({ output }: { output: OutputFormat }, self: Command) => {
      const migrations = await work(configOf(self));
      writeResult(output, migrations, [['MIGRATION', 'STATE'], ...migrations.map(({ name, state }) => [name, state])]);
    });
  };
  return new Command('migrate')
    .description('Looks after the schema of the database.')
    .addCommand(run(status, (config) => onDatabase(config, false)))
    .addCommand(run(up, (config) => onDatabase(config, true)))
    .addHelpText('after', EXAMPLES);
}

async function onDatabase(config: ServerConfig, apply: boolean): Promise<MigrationStatus[]> {
  const { embeddedPostgres } = await import('../server/lifecycle/embedded-database.js');
  if (embeddedPostgres(config, process.env)) {
    throw new CommandError('the embedded PostgreSQL is migrated whenever the server starts: give --database-url for another one');
  }
  const { givenDatabaseUrl } = await import('../server/lifecycle/database-url.js');
  const { applyMigrations, readMigrationStatus } = await import('../storage/database/migration-status.js');
  const { createLogger } = await import('../telemetry/logger.js');
  const logger = createLogger(config);
  const options = { url: givenDatabaseUrl(config) };
  if (apply) await applyMigrations(options, logger);
  return readMigrationStatus(options, logger);
}
