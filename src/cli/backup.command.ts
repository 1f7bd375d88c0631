import { createWriteStream, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Command } from 'commander';
import type { Backup } from '../storage/maintenance/backup.js';
import { DATABASE_SETTINGS, withDatabase } from './database-access.js';
import { addSettingOptions, configOf } from './setting-options.js';

const EXAMPLES = `
Examples:
  coordination-apiserver backup leases.backup.gz
  coordination-apiserver backup - --database-url postgresql://user:password@standby:5432/database > leases.backup`;

/** `backup`: everything that is stored, as lines of JSON with a checksum. */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description('Writes all objects, at one revision, to a file; servers go on meanwhile. - is stdout, a name in .gz is compressed.')
    .argument('<file>', 'Where to.');
  addSettingOptions(command, DATABASE_SETTINGS);
  return command.addHelpText('after', EXAMPLES).action(async (file: string, _options, self: Command) => {
    const { readBackup } = await import('../storage/maintenance/backup.js');
    const backup = await withDatabase(configOf(self), (database) => readBackup(database, new Date()));
    await write(file, backup);
    process.stderr.write(`${backup.objects.length} objects at revision ${backup.header.revision}\n`);
  });
}

/** A file appears under its name when it is whole. */
async function write(file: string, { header, objects }: Backup): Promise<void> {
  const { backupLines } = await import('../storage/maintenance/backup-format.js');
  const lines = Readable.from(backupLines(header, Readable.from(objects)));
  if (file === '-') return pipeline(lines, process.stdout, { end: false });
  const partial = `${file}.partial`;
  const target = createWriteStream(partial, { mode: 0o600 });
  try {
    if (file.endsWith('.gz')) await pipeline(lines, createGzip(), target);
    else await pipeline(lines, target);
    await rename(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
