import { Command } from 'commander';
import { CommandError } from './output/command-error.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

const COMPACT_EXAMPLES = `
Examples:
  coordination-apiserver compact
  coordination-apiserver compact --revision 123456 --database-url postgresql://user:password@host:5432/database`;

/** `compact`: drops history now instead of after --compaction-interval. */
export function compactCommand(): Command {
  const command = new Command('compact')
    .description('Removes the history up to a revision; watches and list pages that need it get 410.')
    .option('--revision <number>', 'Revision to compact to (default: the newest).');
  addSettingOptions(command, DATABASE_SETTINGS);
  return command.addHelpText('after', COMPACT_EXAMPLES).action(async ({ revision }: { revision?: string }, self: Command) => {
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

const BUMP_EXAMPLES = `
Examples:
  coordination-apiserver bump-revision
  coordination-apiserver bump-revision --above 1790000000000000 --database-url postgresql://user:password@host:5432/database`;

/** `bump-revision`: raises the revision counter, after a restore from a backup whose later revisions clients have seen. */
export function bumpRevisionCommand(): Command {
  const command = new Command('bump-revision')
    .description(
      'Raises the revision counter above all revisions that clients have seen, after a manual repair. Watches and pages end with 410.',
    )
    .option('--above <number>', 'Highest revision that clients have seen (default: derived from the clock).');
  addSettingOptions(command, DATABASE_SETTINGS);
  return command.addHelpText('after', BUMP_EXAMPLES).action(async ({ above = '0' }: { above?: string }, self: Command) => {
    if (!/^\d{1,15}$/.test(above) && !/^[1-8]\d{15}$/.test(above)) {
      throw new CommandError(`invalid value "${above}" for --above: must be a whole number below 9000000000000000`);
    }
    const { bumpRevision } = await import('../storage/maintenance/bump-revision.js');
    const revision = await withDatabase(configOf(self), (database) => bumpRevision(database, Number(above)));
    process.stdout.write(`revisions continue at ${revision}\n`);
  });
}
