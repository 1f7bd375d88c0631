// Writes the programs of a page below docs/clients, and those in the folder of its name, into a folder, unchanged.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const pages = path.join(import.meta.dirname, '../docs/clients');
const names = readdirSync(pages).flatMap((file) => (file.endsWith('.md') ? [path.basename(file, '.md')] : []));
const [name, folder] = process.argv.slice(2);
if (!names.includes(name) || folder === undefined) {
  process.stderr.write(`usage: node scripts/example.mjs ${names.join('|')} FOLDER\n`);
  process.exit(2);
}

const text = readFileSync(path.join(pages, `${name}.md`), 'utf8');
for (const [, file, code] of text.matchAll(/^```\w+ (\S+)\n([^]*?)^```$/gm)) {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, code);
  process.stdout.write(`${target}\n`);
}

const beside = path.join(pages, name);
const entries = existsSync(beside) ? readdirSync(beside, { recursive: true, withFileTypes: true }) : [];
for (const entry of entries.filter((each) => each.isFile())) {
  const source = path.join(entry.parentPath, entry.name);
  const target = path.join(folder, path.relative(beside, source));
  mkdirSync(path.dirname(target), { recursive: true });
  copyFileSync(source, target);
  process.stdout.write(`${target}\n`);
}
