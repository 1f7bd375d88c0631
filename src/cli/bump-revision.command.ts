import { Command } from 'commander';
import { CommandError } from './command-error.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver bump-revision
  coordination-apiserver bump-revision --above 1790000000000000 --database-url postgresql://user:password@host:5432/database`;

/** `bump-revision`: for an administrator who knows of revisions that the database does not. */
export function bumpRevisionCommand(): Command {
  const command = new Command('bump-revision')
    .description('Continues above all revisions given out before, and ends all watches and pages with 410, after a repair by hand.')
    .option('--above <number>', 'A revision that clients have seen [the clock is enough].');
  addSettingOptions(command, DATABASE_SETTINGS);
  return command.addHelpText('after', EXAMPLES).action(async ({ above = '0' }: { above?: string }, self: Command) => {
    if (!/^\d{1,15}$/.test(above) && !/^[1-8]\d{15}$/.test(above)) {
      throw new CommandError(`invalid value "${above}" for --above: a whole number below 9000000000000000 is expected`);
    }
    const { bumpRevision } = await import('../storage/maintenance/bump-revision.js');
    const revision = await withDatabase(configOf(self), (database) => bumpRevision(database, Number(above)));
    process.stdout.write(`revisions go on at ${revision}\n`);
  });
}
