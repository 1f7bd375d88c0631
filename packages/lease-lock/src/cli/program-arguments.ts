import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { OwnKubeconfig } from '../../../../src/kube/choose-server.js';
import { readText } from '../../../../src/kube/kubeconfig.js';
import { type ServerOptions, orLockError } from '../connection/server-connection.js';

export type Mode = 'lock' | 'elect';

export interface ProgramArguments {
  readonly mode: Mode;
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly server: ServerOptions;
  /** Takes the place of the server. */
  readonly database?: { readonly url: string; readonly schema?: string };
  readonly slots?: number;
  readonly wait?: number;
  readonly duration?: number;
  readonly grace?: number;
  readonly maxTerm?: number;
  /** How long a command that is to end may take; without a limit if absent. */
  readonly drain?: number;
  readonly priority?: number;
  readonly holder?: string;
  readonly conflictExitCode?: number;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

const COMMON = {
  namespace: { type: 'string', short: 'n' },
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  'token-file': { type: 'string' },
  'certificate-authority': { type: 'string' },
  'insecure-skip-tls-verify': { type: 'boolean' },
  'database-url': { type: 'string' },
  'database-schema': { type: 'string' },
  slots: { type: 'string' },
  duration: { type: 'string' },
  grace: { type: 'string' },
  'max-term': { type: 'string' },
  drain: { type: 'string' },
  holder: { type: 'string' },
  shell: { type: 'boolean' },
  verbose: { type: 'boolean' },
} as const satisfies ParseArgsConfig['options'];

const OF_LOCK = {
  wait: { type: 'string' },
  'fail-fast': { type: 'boolean' },
  'conflict-exit-code': { type: 'string' },
  quiet: { type: 'boolean' },
} as const satisfies ParseArgsConfig['options'];

const OF_ELECT = { priority: { type: 'string' } } as const satisfies ParseArgsConfig['options'];

const SERVER_OPTIONS = [
  'kubeconfig',
  'context',
  'server',
  'token',
  'token-file',
  'certificate-authority',
  'insecure-skip-tls-verify',
] as const;

/** The arguments after `lock` or `elect`: options and the name, then `--` and the command. */
export function parseArguments(mode: Mode, args: readonly string[], closest?: ProgramCaller['closest']): ProgramArguments {
  const dashes = args.indexOf('--');
  const own = dashes < 0 ? args : args.slice(0, dashes);
  const { values, positionals } = parseOptions(mode, own, closest);
  requireValues(values);
  const [name, ...others] = positionals;
  if (name === undefined) throw new UsageError('the name of the lock is missing');
  if (others.length > 0) throw new UsageError(`unexpected "${others.join(' ')}": the command comes after "--"`);
  return {
    mode,
    name,
    command: commandOf(dashes < 0 ? [] : args.slice(dashes + 1), values.shell ?? false),
    server: serverOptions(values),
    database: databaseOf(values),
    slots: numberOf(values.slots, 'slots'),
    wait: waitOf(values),
    duration: durationOf(values.duration, 'duration'),
    grace: durationOf(values.grace, 'grace'),
    maxTerm: durationOf(values['max-term'], 'max-term'),
    drain: durationOf(values.drain, 'drain'),
    priority: priorityOf(values),
    holder: values.holder,
    conflictExitCode: numberOf(values['conflict-exit-code'], 'conflict-exit-code'),
    quiet: values.quiet ?? false,
    verbose: values.verbose ?? false,
  };
}

function parseOptions(mode: Mode, args: readonly string[], closest?: ProgramCaller['closest']) {
  // Each command knows fewer options; it is only the types that are the same.
  const known = { ...COMMON, ...(mode === 'lock' ? OF_LOCK : OF_ELECT) } as typeof COMMON & typeof OF_LOCK & typeof OF_ELECT;
  try {
    return parseArgs({ args: [...args], options: known, allowPositionals: true });
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    const unknown = /^Unknown option '--([^']*)'/.exec(line)?.[1];
    const meant = unknown === undefined ? undefined : closest?.(unknown, Object.keys(known));
    throw new UsageError(`${line.split('. To specify')[0]}${meant === undefined ? '' : `. Did you mean --${meant}?`}`);
  }
}

type Values = ReturnType<typeof parseOptions>['values'];

/** An option without a value is that of a script whose variable is not set: it must not mean another server or database. */
function requireValues(values: Values): void {
  const blank = Object.entries(values).find(([, value]) => typeof value === 'string' && value.trim() === '');
  if (blank) throw new UsageError(`invalid value "" for --${blank[0]}: must not be empty (leave it out for the default)`);
}

function serverOptions(values: Values): ServerOptions {
  const { namespace, kubeconfig, context, server, token } = values;
  const tokenFile = values['token-file'];
  return {
    namespace,
    kubeconfig,
    context,
    server,
    token: tokenFile === undefined ? token : orLockError(() => readText(tokenFile)).trim(),
    certificateAuthority: values['certificate-authority'],
    insecureSkipTlsVerify: values['insecure-skip-tls-verify'],
  };
}

function databaseOf(values: Values): ProgramArguments['database'] {
  const url = values['database-url'];
  const schema = values['database-schema'];
  if (url === undefined) {
    if (schema !== undefined) throw new UsageError('--database-schema needs --database-url');
    return undefined;
  }
  const other = SERVER_OPTIONS.find((name) => values[name] !== undefined);
  if (other !== undefined) throw new UsageError(`--database-url and --${other} exclude each other`);
  return { url, schema };
}

function waitOf(values: Values): number | undefined {
  if (!values['fail-fast']) return durationOf(values.wait, 'wait');
  if (values.wait !== undefined) throw new UsageError('--wait and --fail-fast exclude each other');
  return 0;
}

function priorityOf({ priority, slots, 'database-url': database }: Values): number | undefined {
  if (priority === undefined) return undefined;
  if (database !== undefined) throw new UsageError('--priority and --database-url exclude each other: only a server knows priorities');
  if (slots !== undefined && slots !== '1') throw new UsageError('--priority and --slots exclude each other');
  if (!/^-?\d{1,10}$/.test(priority)) throw new UsageError(`--priority: "${priority}" is not a whole number`);
  return Number(priority);
}

/** With `--shell` the words after the dashes are one line for the shell. */
function commandOf(words: readonly string[], shell: boolean): [string, ...string[]] {
  const [command, ...args] = words;
  if (command === undefined) throw new UsageError('the command is missing: it comes after "--"');
  return shell ? ['/bin/sh', '-c', words.join(' ')] : [command, ...args];
}

function numberOf(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,4}$/.test(text)) throw new UsageError(`--${option}: "${text}" is not a number`);
  return Number(text);
}

function durationOf(text: string | undefined, option: string): number | undefined {
  return text === undefined ? undefined : parseDuration(text, option);
}

/** The program that this one is called as. */
export interface ProgramCaller {
  /** How the help names it. */
  readonly name: string;
  /** What its lines on stderr begin with: they stand among those of the command that it runs. The name, if there is none. */
  readonly label?: string;
  /** The kubeconfig of the data directory. */
  readonly own?: OwnKubeconfig;
  /** Which of the names was probably meant by a word that is none of them. */
  readonly closest?: (word: string, names: readonly string[]) => string | undefined;
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Milliseconds of a duration as Go writes it, such as 30s or 1m30s, or of a number of seconds. */
export function parseDuration(text: string, option: string): number {
  if (/^[\d.]+$/.test(text)) return checked(Number(text) * 1000, text, option);
  const parts = [...text.matchAll(/([\d.]+)([a-z]+)/g)];
  const complete = text !== '' && parts.map(([part]) => part).join('') === text;
  const sum = parts.reduce((total, [, number, unit = '']) => total + Number(number) * (UNITS.get(unit) ?? NaN), 0);
  return checked(complete ? sum : NaN, text, option);
}

function checked(ms: number, text: string, option: string): number {
  if (Number.isNaN(ms)) throw new UsageError(`--${option}: "${text}" is not a duration, such as 30s or 1m30s`);
  return ms;
}

/** A command line that cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
