import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { helpOf } from '../../test/support/help-of.js';
import { allSettings } from '../server/config/server-settings.js';
import { createProgram } from './program.js';

const unserved = (): Promise<never> => Promise.reject(new Error('nothing is served here'));
const program = createProgram(unserved, unserved);
const serve = program.commands.find((command) => command.name() === 'serve');
const help = (serve?.helpInformation() ?? '').split('\n');

test('serve --help fits into 80 columns', () => {
  expect(help.filter((line) => line.length > 80)).toEqual([]);
});

test('serve --help shows every setting once, under the heading of its topic', () => {
  const shown = help.flatMap((line) => /^ {2}--([a-z0-9-]+)/.exec(line)?.[1] ?? []);
  expect(shown.sort()).toEqual(['config', ...allSettings().map(({ name }) => name)].sort());
  const headings = help.filter((line) => /^\S.*:$/.test(line));
  expect(headings).toEqual([
    'Options:',
    'Serving:',
    'Database and storage:',
    'TLS:',
    'Limits:',
    'Authentication:',
    'Authorization and admission:',
    'Audit:',
    'Logs and traces:',
  ]);
});

test('boolean flags show their default, not the value they have without one', () => {
  const at = help.findIndex((line) => line.includes('--swagger-ui'));
  expect(help.slice(at + 1, at + 3).join(' ')).toMatch(/\(default: true\)$/);
});

test('a switch that is off without its flag has no default in the help', () => {
  for (const command of ['leases', 'backup', 'migrate down', 'secrets rekey']) expect(helpOf(command)).not.toContain('default: false');
  expect(helpOf('leases')).toContain('until Ctrl-C.\n');
});

test('the help lists every command, and the help of every command but serve contains an example', () => {
  const commands = program.commands.map((command) => command.name());
  for (const command of commands) expect(helpOf('')).toContain(`\n  ${command} `);
  expect(helpOf('')).toContain('coordination-apiserver serve --help');
  for (const command of commands.filter((name) => name !== 'serve')) {
    expect(helpOf(command)).toMatch(/^Usage: coordination-apiserver [^]*Examples?:\n {2}\S/);
  }
});

test('takeover and giveback name themselves in their help, and refuse what they do not know before they ask a cluster', async () => {
  expect(helpOf('giveback')).toMatch(/refused\s+during\s+a\s+giveback/);
  expect(helpOf('takeover')).toMatch(/refused\s+during\s+a\s+takeover/);
  const run = (...args: string[]): Promise<unknown> => program.parseAsync(args, { from: 'user' });
  await expect(run('takeover', '--accept=instances,foo')).rejects.toThrow(
    /^invalid value "foo" for --accept: must be one of version, .*or/,
  );
  await expect(run('giveback', '--accept=gates')).rejects.toThrow('invalid value "gates" for --accept: must be version or instances');
  await expect(run('takeover', '--freeze=0')).rejects.toThrow('invalid value "0" for --freeze');
  await expect(run('takeover', '--service=a')).rejects.toThrow('invalid value "a" for --service');
});

/** Each command with the names that lead to it. */
function commandsBelow(parent: Command, names: readonly string[] = []): { command: Command; names: readonly string[] }[] {
  return parent.commands.flatMap((command) => {
    const path = [...names, command.name()];
    return [{ command, names: path }, ...commandsBelow(command, path)];
  });
}

const WITH_VALUES = commandsBelow(program)
  .filter(({ names: [name] }) => !['lock', 'elect', 'help'].includes(name ?? ''))
  .flatMap(({ command, names }) =>
    command.options
      .filter(({ required, optional }) => required || optional)
      .map((option): [string, string, Command, readonly string[]] => [names.join(' '), option.long ?? '', command, names]),
  );

test.each(WITH_VALUES)('%s refuses an empty %s', async (_, flag, command, names) => {
  const made = createProgram(unserved, unserved);
  let found = made.exitOverride().configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  for (const name of names) {
    found = found.commands
      .find((each) => each.name() === name)!
      .exitOverride()
      .configureOutput({ outputError: () => undefined });
  }
  const args = command.registeredArguments.filter(({ required }) => required).map(() => 'x');
  args.push(...command.options.flatMap(({ mandatory, long }) => (mandatory ? [`${long}=x`] : [])));
  const mayBeEmpty = allSettings().some(({ name, mayBeEmpty }) => `--${name}` === flag && mayBeEmpty);
  if (mayBeEmpty) return;
  const saysEmpty = command.options.some(({ long, description }) => long === flag && /\bempty for none\b/.test(description));
  for (const value of ['', ' ']) {
    const { message } = await made.parseAsync(['node', 'x', ...names, ...args, flag, value]).then(
      () => new Error('accepted'),
      (error: Error) => error,
    );
    if (saysEmpty) expect(message).not.toContain('must not be empty');
    else expect(message).toContain(flag);
    if (!saysEmpty) expect(message).toMatch(/must not be empty|must be|invalid/);
  }
});

test.each([['backup'], ['restore'], ['who-led'], ['doctor lease']])('%s refuses an empty argument', async (name) => {
  const made = createProgram(unserved, unserved);
  await expect(made.parseAsync(['node', 'x', ...name.split(' '), ' '])).rejects.toThrow(/^the argument \w+ must not be empty$/);
});
