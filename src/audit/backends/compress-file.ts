import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Compresses a file to `FILE.gz` and removes it; on failure the file stays. */
export async function compressFile(file: string): Promise<void> {
  const compressed = `${file}.gz`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(compressed, { mode: 0o600 }));
  } catch (error) {
    await rm(compressed, { force: true });
    throw error;
  }
  await rm(file);
}
