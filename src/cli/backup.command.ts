import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { link, rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Command } from 'commander';
import { isFileFailure, systemFailure } from '../settings/given-files.js';
import { CommandError } from './output/command-error.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver backup leases.backup.gz
  coordination-apiserver backup - --database-url postgresql://user:password@standby:5432/database > leases.backup`;

/** `backup`: writes everything that is stored as lines of JSON with a checksum. */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description(
      'Writes all objects and terms at one revision, and the Terraform states, to a file while servers run. - is stdout; a name ending in .gz is compressed.',
    )
    .argument('<file>', 'File to write.')
    .option('--overwrite', 'Overwrites an existing file.', false);
  addSettingOptions(command, DATABASE_SETTINGS);
  return command.addHelpText('after', EXAMPLES).action(async (file: string, { overwrite }: { overwrite: boolean }, self: Command) => {
    if (file !== '-' && !overwrite && existsSync(file)) throw exists(file);
    const { readBackup } = await import('../storage/maintenance/backup.js');
    const { backupLines } = await import('../storage/maintenance/backup.js');
    await withDatabase(configOf(self), async (database) => {
      const backup = await readBackup(database, new Date());
      const counts = { objects: 0, terms: 0, states: 0 };
      await write(file, overwrite, Readable.from(backupLines(backup, counts)));
      const content = `${counts.objects} objects, ${counts.terms} terms and ${counts.states} versions of states`;
      process.stderr.write(`${content} at revision ${backup.header.revision}\n`);
    });
  });
}

/** Writes to a temporary file, which gets its name when complete; failures and signals leave nothing behind. */
async function write(file: string, overwrite: boolean, lines: Readable): Promise<void> {
  if (file === '-') return pipeline(lines, process.stdout, { end: false });
  const partial = `${file}.${process.pid}.partial`;
  const stop = new AbortController();
  const told = (): void => stop.abort();
  for (const signal of SIGNALS) process.once(signal, told);
  try {
    const target = createWriteStream(partial, { mode: 0o600, flags: 'wx' });
    const { signal } = stop;
    if (file.endsWith('.gz')) await pipeline(lines, createGzip(), target, { signal });
    else await pipeline(lines, target, { signal });
    if (overwrite) await rename(partial, file);
    else await linkNew(partial, file);
  } catch (error) {
    if (stop.signal.aborted) throw new CommandError('interrupted: no backup was written');
    const { path: failed, code = '', syscall = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && failed === partial) throw new CommandError(`cannot write ${file}: ${syscall}: its directory does not exist`);
    throw failed === partial || isFileFailure(error) ? new CommandError(`cannot write ${file}: ${systemFailure(error)}`) : error;
  } finally {
    rmSync(partial, { force: true });
    for (const signal of SIGNALS) process.off(signal, told);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Fails if the target exists, unlike a rename. */
async function linkNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    throw existsSync(to) ? exists(to) : error;
  }
}

function exists(file: string): CommandError {
  return new CommandError(`${file} already exists: choose another name, or pass --overwrite`);
}
