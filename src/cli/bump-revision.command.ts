import { Command } from 'commander';
import { CommandError } from './output/command-error.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
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
  return command.addHelpText('after', EXAMPLES).action(async ({ above = '0' }: { above?: string }, self: Command) => {
    if (!/^\d{1,15}$/.test(above) && !/^[1-8]\d{15}$/.test(above)) {
      throw new CommandError(`invalid value "${above}" for --above: must be a whole number below 9000000000000000`);
    }
    const { bumpRevision } = await import('../storage/maintenance/bump-revision.js');
    const revision = await withDatabase(configOf(self), (database) => bumpRevision(database, Number(above)));
    process.stdout.write(`revisions continue at ${revision}\n`);
  });
}
