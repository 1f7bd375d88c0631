// Writes docs/configuration.md, docs/commands.md and the generated files of the Helm chart from the built program, or with --check reports
// which of them are out of date and exits with code 1.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { createProgram } from '../dist/cli/program.js';
import { defaultOf } from '../dist/cli/setting-options.js';
import { allSettings } from '../dist/server/config/server-settings.js';
import { chartFiles } from './chart-reference.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const root = path.join(import.meta.dirname, '..');

const stale = [];
for (const [name, text] of [['docs/configuration.md', configuration()], ['docs/commands.md', commands()], ...chartFiles()]) {
  const file = path.join(root, name);
  const formatted = await format(text, { ...(await resolveConfig(file)), filepath: file });
  if (!values.check) writeFileSync(file, formatted);
  else if (existing(file) !== formatted) stale.push(name);
}
if (stale.length > 0) {
  process.stderr.write(`${stale.join(', ')} out of date; run "npm run sync:reference"\n`);
  process.exit(1);
}

function existing(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function configuration() {
  const items = [...allSettings()]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((setting) => {
      const fallback = defaultOf(setting);
      const also = setting.alsoEnvironment === undefined ? '' : ` Also \`${setting.alsoEnvironment}\`.`;
      return `- **\`--${setting.name}\`** (${setting.kind}${fallback === '' ? '' : `, \`${fallback}\``}): ${escape(setting.help)}${also}`;
    });
  return `# Configuration

<!-- Made by "npm run sync:reference" from src/**/*.settings.ts. -->

Every setting is a flag (\`--secure-port=7443\`), an environment variable (\`COORDINATION_APISERVER_SECURE_PORT=7443\`) and a key of a YAML
file (\`secure-port: 7443\`) that \`--config\` or \`COORDINATION_APISERVER_CONFIG\` names. Flags take precedence over variables, and variables
over the file. Names and defaults are kube-apiserver's where it has the same setting.

Durations are written as in Go: \`90s\`, \`1m30s\`. Items of lists are separated by commas; in the file they may be YAML lists. A boolean
flag without a value is true. The kind and the default of each setting are in parentheses.

${items.join('\n')}
`;
}

function commands() {
  const program = createProgram(() => Promise.reject(new Error('not to be served')));
  const sections = program.commands.map((command) => section(command, []));
  return `# Commands

<!-- Made by "npm run sync:reference" from src/cli. -->

Exit codes: 0 for success; 1 for a failure, with one line on stderr that says why and what to do; 2 if a check found a problem
(\`doctor\`, \`verify\`, \`certs\`, \`migrate check\`). Results go to stdout, everything else to stderr; colours and progress bars appear only on
terminals. In a clone, run them as \`npx coordination-apiserver ...\`.

${contents(program)}

${sections.join('\n')}`;
}

/** A list of the commands, with links. */
function contents(program) {
  return program.commands.map((command) => `- [${command.name()}](#${command.name()})`).join('\n');
}

/** The flags of \`serve\` are those of the configuration. */
function section(command, parents) {
  const names = [...parents, command.name()];
  const children = command.commands.map((child) => section(child, names));
  const usage = `coordination-apiserver ${[...names, command.usage()].join(' ')}`;
  const shown = command.name() === 'serve' ? [] : command.options.filter(({ long }) => long !== '--config');
  const options = shown.map((option) => `| \`${option.flags.replaceAll('|', '\\|')}\` | ${escape(option.description)}${choices(option)} |`);
  const table = options.length === 0 ? '' : `| option | meaning |\n| --- | --- |\n${options.join('\n')}\n`;
  const more = command.name() === 'serve' ? 'Its flags are the settings of [configuration.md](configuration.md).\n' : '';
  const heading = '#'.repeat(names.length + 1);
  return `${heading} ${names.join(' ')}\n\n${command.description()}\n\n    ${usage}\n${examples(command)}\n${table}${more}\n${children.join('\n')}`;
}

function choices({ argChoices, defaultValue }) {
  const of = argChoices ? ` One of ${argChoices.join(', ')}.` : '';
  return typeof defaultValue === 'string' ? `${of} [${defaultValue}]` : of;
}

/** What \`--help\` shows behind the options. */
function examples(command) {
  if (command.commands.length > 0) return '';
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  const [, lines = ''] = /\nExamples?:\n([^]*)$/.exec(text) ?? [];
  return lines === '' ? '' : `\nFor example\n\n${lines.replace(/^ {2}/gm, '    ').trimEnd()}\n`;
}

function escape(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');
}
