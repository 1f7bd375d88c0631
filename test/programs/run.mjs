// `npm run program NAME -- OPTIONS`: builds what is stale, and becomes the experiment of that name; docs/development/programs.md describes them all.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const LOADER = './test/support/register-typescript.mjs';
/** Flags of Node.js that a program needs, by its name. */
const NODE_FLAGS = { model: ['--max-old-space-size=6144'] };
/** Programs that import the sources only. */
const WITHOUT_BUILD = ['simulate', 'model', 'record-identities', 'http2-differential'];

const programs = new Map(globSync('{test,packages/*/test}/programs/*.ts').map((file) => [path.basename(file, '.ts'), file]));
const [name, ...args] = process.argv.slice(2);
const file = programs.get(name);
if (file === undefined) {
  const texts = [...programs].sort().map(([program, source]) => `  ${program.padEnd(19)} ${firstClause(source)}`);
  const known = `npm run program NAME -- [--help] OPTIONS\n\n${texts.join('\n')}`;
  if (name === undefined || name === '--help') {
    console.log(known);
    process.exit(0);
  }
  console.error(`error: no program is called ${name}\n\n${known}`);
  process.exit(2);
}
const ownHelp = readFileSync(file, 'utf8').includes('help');
if (args.includes('--help') && !ownHelp) {
  console.log(`${description(file)}\n\n${options(file).join('\n')}`);
  process.exit(0);
}
if (!WITHOUT_BUILD.includes(name)) {
  const { status } = spawnSync(process.execPath, ['scripts/build-if-stale.mjs'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
process.execve(process.execPath, [process.execPath, ...(NODE_FLAGS[name] ?? []), '--import', LOADER, file, ...args]);

/** The comment of the file that begins with the program's name. */
function description(source) {
  const [, text = ''] = /\/\*\*[\s*]*`npm run [^`]*`: ([^]*?)\*\//.exec(readFileSync(source, 'utf8')) ?? [];
  return text.replace(/\n \*/g, '').trim();
}

/** As much of the first clause as fits on a line. */
function firstClause(source) {
  const [clause] = /^.*?(?=[;:]|\.\s|\.$|$)/.exec(description(source).replace(/\s+/g, ' '));
  return clause.length < 90 ? clause : `${clause.slice(0, 90).replace(/,? \S*$/, '')} ...`;
}

/** Lines of `parseArgs`. */
function options(source) {
  const found = readFileSync(source, 'utf8').matchAll(
    /^ {4}'?([a-z\d-]+)'?: (?:\{ type: '(\w+)'(?:.*default: '([^']*)')?.* \}|number\((\d+)\))/gm,
  );
  return [...found].map(([, option, type = 'string', fallback, count]) => {
    return `  --${option}${type === 'boolean' ? '' : `=${count ?? (fallback || 'VALUE')}`}`;
  });
}
