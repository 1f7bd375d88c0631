import { type Option, Command, Help } from 'commander';
import { printable, printableLines } from '../apimachinery/text/printable.js';
import { allSettings } from '../server/config/server-settings.js';
import type { LoadHttpApplication } from '../server/process/http-application.js';
import { systemFailure } from '../settings/given-files.js';
import { asCalled } from '../settings/program-call.js';
import { PROGRAM_VERSION } from '../settings/program-files.js';
import { blankValue, isBlank } from '../settings/setting.js';
import { StartError } from '../settings/start-error.js';
import { DatabaseStartError } from '../storage/database/session/database-start-error.js';
import { backupCommand } from './backup.command.js';
import { certsCommand } from './certs.command.js';
import { closestName } from './closest-name.js';
import { completionCommand } from './completion.command.js';
import { doctorCommand } from './doctor.command.js';
import { exportCommand } from './export.command.js';
import { givebackCommand } from './giveback.command.js';
import { healthCommand } from './health.command.js';
import { historyCommand } from './history.command.js';
import { importCommand } from './import.command.js';
import { kubeconfigCommand, tokenCommand } from './kubeconfig.command.js';
import { leasesCommand } from './leases.command.js';
import { electCommand, lockCommand } from './lock.command.js';
import { mcpCommand } from './mcp.command.js';
import { migrateCommand } from './migrate.command.js';
import { CommandError, EXIT_FAILED } from './output/command-error.js';
import { restoreCommand } from './restore.command.js';
import { bumpRevisionCommand, compactCommand } from './revision.commands.js';
import { secretsCommand } from './secrets.command.js';
import { serveCommand } from './serve.command.js';
import { takeoverCommand } from './takeover.command.js';
import { type LoadTestServer, testServerCommand } from './test-server.command.js';
import { uiCommand } from './ui.command.js';
import { verifyCommand } from './verify.command.js';
import { versionCommand } from './version.command.js';
import { whoLedCommand } from './who-led.command.js';

const COMMANDS = [
  leasesCommand,
  historyCommand,
  whoLedCommand,
  lockCommand,
  electCommand,
  mcpCommand,
  migrateCommand,
  kubeconfigCommand,
  tokenCommand,
  uiCommand,
  certsCommand,
  healthCommand,
  doctorCommand,
  verifyCommand,
  backupCommand,
  restoreCommand,
  compactCommand,
  bumpRevisionCommand,
  secretsCommand,
  exportCommand,
  importCommand,
  takeoverCommand,
  givebackCommand,
  versionCommand,
];

/** Builds the command line; `serve` is the default command. */
export function createProgram(loadApplication: LoadHttpApplication, loadTestServer: LoadTestServer): Command {
  const program = new Command('coordination-apiserver')
    .description('Serves the Kubernetes coordination API (Lease) from PostgreSQL.')
    .version(PROGRAM_VERSION, '-V, --version', 'Prints the version of this program.')
    .helpOption('-h, --help', 'Prints this help.')
    .helpCommand('help [command]', 'Prints the help of a command.')
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({
      writeOut: (text) => void process.stdout.write(withExamplesAsCalled(text)),
      // The help of a command whose subcommand is missing.
      writeErr: (text) => void process.stderr.write(withExamplesAsCalled(text)),
      // Errors are one line; commander puts its suggestion on a second one.
      outputError: (text, write) => write(printable(text.trimEnd().replaceAll('\n', ' ')) + '\n'),
    });
  const serve = serveCommand(loadApplication);
  program.hook('preAction', (_, command) => {
    requireValues(command);
    if (command !== serve) endWithReader(process.stdout);
  });
  program.addCommand(serve, { isDefault: true });
  for (const command of COMMANDS) program.addCommand(command());
  program.addCommand(testServerCommand(loadTestServer));
  program.addCommand(completionCommand(program));
  passOnSettings(program);
  useLongHelp(serve);
  return program.addHelpText('after', '\nFlags of the server: coordination-apiserver serve --help');
}

/** An option or argument without a value is that of a script whose variable is not set: it must not mean another server, database or file. */
function requireValues(command: Command): void {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  const blank = given.find((option) => isBlank(command.getOptionValue(option.attributeName())) && !MAY_BE_EMPTY.has(option.long));
  if (blank) throw new CommandError(blankValue(blank.long ?? blank.flags));
  const at = command.args.findIndex(isBlank);
  if (at >= 0) throw new CommandError(`the argument ${command.registeredArguments[at]?.name() ?? at + 1} must not be empty`);
}

/** A list that is empty is a value of `--step-down`: nobody steps down. */
const MAY_BE_EMPTY: ReadonlySet<string | undefined> = new Set([
  ...allSettings().flatMap(({ name, mayBeEmpty }) => (mayBeEmpty ? [`--${name}`] : [])),
  '--step-down',
]);

/** A switch is off unless it is given, which goes without saying. */
function describeOption(this: Help, option: Option): string {
  return option.defaultValue === false ? option.description : Help.prototype.optionDescription.call(this, option);
}

/** Commander passes settings on only to commands that it creates itself. */
function passOnSettings(parent: Command): void {
  for (const command of parent.commands) passOnSettings(suggestingCommands(suggestingOptions(command.copyInheritedSettings(parent))));
}

/** Commander compares `--name=value` with the names of options as a whole, and finds none that is close. */
function suggestingOptions(command: Command): Command {
  const checked = command as Command & { unknownOption(flag: string): void };
  const refuse = checked.unknownOption.bind(command);
  checked.unknownOption = (flag) => refuse(flag.split('=', 1).join());
  return command;
}

/** Commander takes a misspelt subcommand of a command that also works without one for an argument of that. */
function suggestingCommands(command: Command): Command {
  const checked = command as Command & { _excessArguments(received: readonly string[]): void };
  const refuse = checked._excessArguments.bind(command);
  checked._excessArguments = (received) => {
    const [first = ''] = received;
    const close = closestName(
      first,
      command.commands.map((each) => each.name()),
    );
    if (close !== undefined) command.error(`error: unknown command '${first}' (Did you mean ${close}?)`);
    refuse(received);
  };
  return command;
}

/** The examples that end a help text can be copied; what comes before them names the program. */
function withExamplesAsCalled(help: string): string {
  const at = help.search(/^(Examples?:|Flags of the server: )/m);
  return at < 0 ? help : help.slice(0, at) + asCalled(help.slice(at));
}

/**
 * Runs the program. Errors that the user can fix end it with one line on stderr and an exit code of command-error.ts; any other error is a
 * defect and shows its stack.
 */
export async function runProgram(
  argv: readonly string[],
  loadApplication: LoadHttpApplication,
  loadTestServer: LoadTestServer,
): Promise<void> {
  try {
    const program = createProgram(loadApplication, loadTestServer);
    rejectUnknownCommand(program, argv[2]);
    await program.parseAsync(argv);
  } catch (error) {
    process.stderr.write(`error: ${describe(error)}\n`);
    process.exit(error instanceof CommandError ? error.exitCode : EXIT_FAILED);
  }
}

/** Without this a misspelt command would be an argument of `serve`, the default command. */
function rejectUnknownCommand(program: Command, first: string | undefined): void {
  if (first === undefined || first === 'help' || first.startsWith('-')) return;
  const names = program.commands.map((command) => command.name());
  if (names.includes(first)) return;
  const close = closestName(first, names);
  const hint = close === undefined ? '' : ` (Did you mean ${close}?)`;
  throw new CommandError(`unknown command "${first}"${hint}; the commands are ${names.join(', ')}`);
}

const FOR_PEOPLE = [StartError, DatabaseStartError];

function describe(error: unknown): string {
  if (!(error instanceof Error)) return printable(String(error));
  if (FOR_PEOPLE.some((kind) => error instanceof kind)) return printable(error.message.replaceAll('\n', ' '));
  // A system error's message says what failed; the stack adds nothing.
  return printableLines('syscall' in error ? systemFailure(error) : (error.stack ?? error.message));
}

/** What a shell reports for a program that SIGPIPE ended. */
const EXIT_PIPE = 141;

/** Ends the program without a word where nobody reads its output any more, as in `leases | head`; Node ignores the signal for that. */
function endWithReader(output: NodeJS.WriteStream): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_PIPE);
    process.stderr.write(`error: cannot write the output: ${systemFailure(error)}\n`);
    process.exit(EXIT_FAILED);
  });
}

const INDENT = '  ';
const DESCRIPTION_INDENT = '        ';

/**
 * Formats the help of a command with many long flags as kube-apiserver does: each flag on its own line, its description below, wrapped at
 * the terminal's width.
 */
function useLongHelp(command: Command): void {
  command.configureHelp({
    formatItem(this: Help, term, _termWidth, description) {
      const wrapped = this.boxWrap(description, (this.helpWidth ?? 80) - DESCRIPTION_INDENT.length);
      return `${INDENT}${term}\n${wrapped.replace(/^/gm, DESCRIPTION_INDENT)}`;
    },
    // commander's own adds the preset value of boolean flags.
    optionDescription: ({ description }) => description,
  });
}
