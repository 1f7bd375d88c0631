import { Command } from 'commander';
import { CommandError } from './output/command-error.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver compact
  coordination-apiserver compact --revision 123456 --database-url postgresql://user:password@host:5432/database`;

/** `compact`: drops history now instead of after --compaction-interval. */
export function compactCommand(): Command {
  const command = new Command('compact')
    .description('Removes the history up to a revision; watches and list pages that need it get 410.')
    .option('--revision <number>', 'Revision to compact to (default: the newest).');
  addSettingOptions(command, DATABASE_SETTINGS);
  return command.addHelpText('after', EXAMPLES).action(async ({ revision }: { revision?: string }, self: Command) => {
    if (revision !== undefined && !/^[1-9]\d{0,15}$/.test(revision)) {
      throw new CommandError(`invalid value "${revision}" for --revision: must be a positive whole number`);
    }
    const { compactHistory } = await import('../storage/maintenance/compact-history.js');
    const compacted = await withDatabase(configOf(self), (database, logger) =>
      compactHistory(database, logger, revision === undefined ? undefined : Number(revision)),
    );
    process.stdout.write(`compacted up to revision ${compacted}\n`);
  });
}
