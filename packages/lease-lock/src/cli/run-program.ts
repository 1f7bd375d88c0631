import { existsSync } from 'node:fs';
import { printable, printableLines } from '../../../../src/apimachinery/text/printable.js';
import { type OwnKubeconfig, chooseServer } from '../../../../src/kube/choose-server.js';
import type { LeaseBackend } from '../backend.js';
import { DatabasePools } from '../connection/database-pools.js';
import { databaseLeases } from '../database-leases.js';
import { LockError } from '../lock-options.js';
import { serverLeases } from '../server-leases.js';
import { SignalRelay, StoppedBySignal } from './child/signal-relay.js';
import { EXIT, exitCodeOf, exitCodeOfSignal } from './exit-codes.js';
import { helpText } from './help-text.js';
import { electCommand, lockCommand } from './lock-commands.js';
import { type Mode, type ProgramArguments, type ProgramCaller, UsageError, parseArguments } from './program-arguments.js';

/** The width of what is no terminal. */
const USUAL_WIDTH = 80;

/** Runs the program with the arguments behind its name, and resolves with the exit code. */
export async function runProgram(argv: readonly string[], caller: ProgramCaller = { name: 'lease-lock' }): Promise<number> {
  const { name, label = name } = caller;
  const complain = (line: string): void => void process.stderr.write(`${label}: ${printable(line)}\n`);
  let args: ProgramArguments | undefined;
  try {
    if (wantsHelp(argv)) {
      process.stdout.write(helpText(caller, process.stdout.isTTY ? process.stdout.columns : USUAL_WIDTH));
      return 0;
    }
    args = parseArguments(modeOf(argv[0]), argv.slice(1), caller.closest);
    return await run(args, caller, label, complain);
  } catch (error) {
    const { code, message } = endOf(error, `${name} ${isMode(argv[0]) ? argv[0] : 'lock'}`, args);
    // The stack of a defect has lines of its own.
    if (code === EXIT.defect) process.stderr.write(`${label}: ${printableLines(message ?? '')}\n`);
    else if (message !== undefined) complain(message);
    return code;
  }
}

async function run(args: ProgramArguments, { own }: ProgramCaller, label: string, complain: (line: string) => void): Promise<number> {
  const say = (line: string): void => void (args.verbose && complain(line));
  const onError = failures(complain, say);
  const isNamed = (args.server.server ?? args.server.kubeconfig ?? args.database) !== undefined;
  const ownKubeconfig = own && !isNamed ? ownKubeconfigOf(own, complain) : undefined;
  const backend = await openBackend({ ...args, server: { ...args.server, ownKubeconfig } }, onError);
  // A credential plugin has run by now, which a signal ends as usual.
  const asked = [args.maxTerm, args.drain, args.priority].some((value) => value !== undefined);
  const context = { args, backend, relay: new SignalRelay(), label, complain, tell: asked ? complain : say, say, onError };
  return args.mode === 'lock' ? lockCommand(context) : electCommand(context);
}

/** A refusal that is repeated is told once. */
function failures(complain: (line: string) => void, say: (line: string) => void): (error: unknown) => void {
  let last = '';
  return (error) => {
    const { message } = error as Error;
    const isNews = error instanceof LockError && error.why === 'refused' && message !== last;
    if (isNews) last = message;
    (isNews ? complain : say)(message);
  };
}

async function openBackend({ server, database }: ProgramArguments, onError: (error: unknown) => void): Promise<LeaseBackend> {
  if (database) {
    const { url, schema } = database;
    return databaseLeases({ database: await DatabasePools.open(url), namespace: server.namespace, schema });
  }
  return serverLeases({ ...server, onError });
}

function wantsHelp(argv: readonly string[]): boolean {
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? argv : argv.slice(0, dashes);
  return own.includes('--help') || own.includes('-h') || own[0] === 'help';
}

function modeOf(word: string | undefined): Mode {
  if (isMode(word)) return word;
  throw new UsageError(word === undefined ? 'a command is missing: lock or elect' : `unknown command "${word}": lock or elect`);
}

function isMode(word: string | undefined): word is Mode {
  return word === 'lock' || word === 'elect';
}

interface End {
  readonly code: number;
  /** Absent if there is nothing to say. */
  readonly message?: string;
}

/** `command` is one whose help says more. */
function endOf(error: unknown, command: string, args: ProgramArguments | undefined): End {
  if (error instanceof StoppedBySignal) return { code: exitCodeOfSignal(error.signal) };
  if (error instanceof LockError) return endOfWait(error, args);
  if (error instanceof UsageError) return { code: EXIT.usage, message: `${error.message} (${command} --help)` };
  return { code: EXIT.defect, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function endOfWait({ why, message }: LockError, args: ProgramArguments | undefined): End {
  if (why !== 'not-acquired') return { code: exitCodeOf(why), message };
  const code = args?.conflictExitCode ?? EXIT.notAcquired;
  return args?.quiet ? { code } : { code, message };
}

/** The kubeconfig of the data directory, if that names the server; for options that name none. Throws a LockError if nothing names one. */
export function ownKubeconfigOf(own: OwnKubeconfig, complain: (line: string) => void): string | undefined {
  if (own.problem !== undefined) throw new LockError('configuration', own.problem);
  const chosen = chooseServer(own, process.env);
  if (chosen === undefined || (chosen.isOwn && !existsSync(own.file))) {
    throw new LockError(
      'configuration',
      `no server is known, and there is no ${own.file}: give --kubeconfig or --server, or set KUBECONFIG`,
    );
  }
  if (chosen.note !== undefined) complain(chosen.note);
  return chosen.isOwn ? own.file : undefined;
}
