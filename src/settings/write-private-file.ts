import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';

/** Writes a file of mode 0600 atomically, replacing any existing one. */
export function writePrivateFile(file: string, text: string): void {
  writePrivateFiles([[file, text]]);
}

/** Writes several, which get their names, in this order, once all of them are on the disk. */
export function writePrivateFiles(files: readonly (readonly [file: string, text: string])[]): void {
  for (const [file, text] of files) writeFresh(fresh(file), text);
  for (const [file] of files) renameSync(fresh(file), file);
}

const fresh = (file: string): string => `${file}.${process.pid}.new`;

function writeFresh(file: string, text: string): void {
  const fd = openSync(file, 'w', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
