// Makes `npx coordination-apiserver` in a clone run dist/main.js directly. Without the link, npx installs the clone into its cache first: that
// takes a second build without a word, and if it is interrupted, every later call fails.
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

const bin = path.join(import.meta.dirname, '../node_modules/.bin');
const link = path.join(bin, 'coordination-apiserver');

chmodSync(path.join(import.meta.dirname, '../dist/main.js'), 0o755);
if (existsSync(path.dirname(bin))) {
  mkdirSync(bin, { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link);
  symlinkSync('../../dist/main.js', link);
}
