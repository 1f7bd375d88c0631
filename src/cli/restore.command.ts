import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Command } from 'commander';
import { linesOf } from '../apimachinery/codec/lines-of.js';
import { printable } from '../apimachinery/text/printable.js';
import { usesEmbeddedPostgres } from '../server/config/server-address.js';
import type { ServerSettings } from '../server/config/server-settings.js';
import { shellWord } from '../settings/program-call.js';
import type { Database } from '../storage/database/database.js';
import type { BackupEntry } from '../storage/maintenance/backup.js';
import type { StoredContent } from '../storage/maintenance/restore-backup.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { CommandError, warn } from './output/command-error.js';
import { Progress } from './output/progress.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver migrate up --database-url postgresql://user:password@host:5432/empty
  coordination-apiserver restore leases.backup.gz --database-url postgresql://user:password@host:5432/empty
  coordination-apiserver restore leases.backup --replace --yes=database@host`;

/** `restore`: loads a backup into a database that has the schema. */
export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('Loads a backup into a database without objects; stop all its servers first. Revisions continue far above the old ones.')
    .argument('<file>', 'Backup file; - is stdin.')
    .option('--replace', 'Removes the existing objects first, after asking on the terminal.', false)
    .option('--yes <name>', 'Confirms what is replaced, without asking: DATABASE@HOST, or the data directory of an embedded database.');
  addSettingOptions(command, DATABASE_SETTINGS);
  return command
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, { replace, yes }: { replace: boolean; yes?: string }, self: Command) => {
      const config = configOf(self);
      const { restoreBackup, RestoreRefused } = await import('../storage/maintenance/restore-backup.js');
      const backup = read(file);
      const progress = new Progress('restore');
      try {
        const { objects, terms, states, from, revision } = await withDatabase(config, (database) =>
          restoreBackup(database, backup, {
            replace,
            confirm: (content) => confirmReplacement(content, placeOf(database, config), { yes, mayAsk: file !== '-' }),
            warn,
            onProgress: (lines) => progress.report(lines, 0),
          }),
        );
        progress.end();
        const content = `${objects} objects, ${terms} terms and ${states} versions of states`;
        process.stderr.write(`${content} from revision ${from}; revisions continue at ${revision}\n`);
      } catch (error) {
        if (error instanceof RestoreRefused) throw new CommandError(error.message);
        throw error;
      }
    });
}

function placeOf(database: Database, config: ServerSettings): ReplacedPlace {
  if (!usesEmbeddedPostgres(config, process.env)) {
    return { name: database.shortName, shown: `${database.place}, schema ${database.schema}` };
  }
  const name = path.resolve(config.dataDir);
  return { name, shown: `the embedded database in ${name}` };
}

async function* read(file: string): AsyncGenerator<BackupEntry> {
  const { BackupError, parseBackup } = await import('../storage/maintenance/backup.js');
  try {
    yield* parseBackup(linesOf(open(file)));
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError(`cannot use ${file}: ${error.message}`);
    throw new CommandError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

function open(file: string): Readable {
  if (file === '-') return process.stdin;
  const stream = createReadStream(file);
  if (!file.endsWith('.gz')) return stream;
  const plain = createGunzip();
  stream.on('error', (error) => plain.destroy(error));
  return stream.pipe(plain);
}

/** The database whose content is about to be replaced. */
interface ReplacedPlace {
  /** What is typed to confirm. */
  readonly name: string;
  readonly shown: string;
}

interface Confirmation {
  /** The value of --yes. */
  readonly yes: string | undefined;
  /** Whether stdin is not needed for something else. */
  readonly mayAsk: boolean;
}

/** Says what is replaced, and rejects with a CommandError unless somebody names the place: in --yes, or when asked on the terminal. */
async function confirmReplacement(content: StoredContent, { name, shown }: ReplacedPlace, given: Confirmation): Promise<void> {
  const replaced = `${describe(content)} in ${shown}`;
  if (given.yes !== undefined) {
    if (given.yes !== name) throw new CommandError(`--yes names ${given.yes}, but this would replace ${replaced}, which is ${name}`);
    process.stderr.write(`replacing ${printable(replaced)}\n`);
    return;
  }
  if (!given.mayAsk || !process.stdin.isTTY) {
    throw new CommandError(`this would replace ${replaced}: pass --yes=${shellWord(name)} to confirm`);
  }
  process.stderr.write(`This replaces ${printable(replaced)}.\n`);
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  // The end of the input is an answer too.
  const ended = once(asked, 'close').then(() => '');
  const answer = await Promise.race([asked.question(`Type ${printable(name)} to go on: `), ended]);
  asked.close();
  if (answer.trim() !== name) throw new CommandError('nothing was replaced');
}

function describe({ objects, terms, states, newest }: StoredContent): string {
  const content = `${objects} objects, ${terms} terms and ${states} states`;
  return newest === undefined ? content : `${content} (written last: ${newest.name}${newest.at === undefined ? '' : ` at ${newest.at}`})`;
}
