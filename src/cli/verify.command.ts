import { Command } from 'commander';
import { CommandError, EXIT_FINDINGS } from './output/command-error.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';
import { Progress } from './output/progress.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver verify
  coordination-apiserver verify -o json --database-url postgresql://user:password@standby:5432/database`;

/** `verify`: checks objects, revision log and counter for consistency. */
export function verifyCommand(): Command {
  const command = new Command('verify')
    .description('Checks that objects, history and revision counter are consistent; changes nothing. Exit code 2: they are not.')
    .addOption(outputOption());
  addSettingOptions(command, DATABASE_SETTINGS);
  return command.addHelpText('after', EXAMPLES).action(async ({ output }: { output: OutputFormat }, self: Command) => {
    const { verifyDatabase } = await import('../storage/maintenance/verify-database.js');
    const progress = new Progress('verify');
    const result = await withDatabase(configOf(self), (database) => verifyDatabase(database, progress.report));
    progress.end();
    const { findings, objects, terms, states, changes, revision } = result;
    const summary = [
      ['OBJECTS', 'TERMS', 'STATES', 'CHANGES', 'REVISION', 'FINDINGS'],
      [objects, terms, states, changes, revision, findings.length].map(String),
    ];
    const found = findings.map(({ where, problem }) => [where, problem]);
    writeResult(output, result, findings.length === 0 ? summary : [['WHERE', 'PROBLEM'], ...found]);
    if (findings.length > 0) {
      throw new CommandError(`${findings.length} inconsistencies: keep a copy of the database, and restore a backup`, EXIT_FINDINGS);
    }
  });
}
