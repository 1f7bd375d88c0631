import path from 'node:path';
import type { Logger } from 'pino';
import { PROGRAM_CALL, shellWord } from '../../settings/program-call.js';
import { PROGRAM_VERSION } from '../../settings/program-files.js';
import { createLogger } from '../../telemetry/logger.js';
import { bindAddress, isWildcard } from '../config/server-address.js';
import { type ServerSettings, defaultSettings } from '../config/server-settings.js';
import type { StartObserver } from './database-owner.js';
import type { RunningServer } from './start-replica.js';
import { onStopSignals, withinDeadline } from './stop-signals.js';

/** Set by the image and docker-compose.yml. */
const KUBECONFIG_COMMAND = 'KUBECONFIG_COMMAND';

/** A server that this process runs: by itself, or as the supervisor of workers. */
export interface ServerProcess {
  /** Resolves once it serves. If it rejects, everything that had started is stopped. */
  start(environment: NodeJS.ProcessEnv, observer: StartObserver): Promise<RunningServer>;
  /** Stops it; a start in progress ends at its next step. */
  stop(): Promise<void>;
  /** Stops what would outlive this process, which exits at once. */
  abandon(): void;
}

/** Makes the server that settings ask for. The data directory in them is absolute. */
type CreateServer = (config: ServerSettings, logger: Logger) => Promise<ServerProcess>;

/**
 * Serves until a signal asks it to stop; the process then exits with code 0. Resolves once it serves; rejects if it cannot start. A
 * second signal ends the process at once, with code 1.
 */
export async function serve(given: ServerSettings, createServer: CreateServer): Promise<void> {
  const progress = new StartProgress();
  const config = {
    ...given,
    dataDir: path.resolve(given.dataDir),
    bindAddress: bindAddress(given, process.env),
  };
  const logger = createLogger(config);
  const server = await createServer(config, logger);
  let stopping = false;

  const fail = (reason: string): void => {
    progress.end();
    process.stderr.write(`error: ${reason}\n`);
    server.abandon();
    process.exit(1);
  };
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'unhandled rejection');
    fail('an unexpected error, logged above');
  });
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    fail('an unexpected error, logged above');
  });
  onStopSignals({
    stop: (signal) => {
      stopping = true;
      logger.info({ signal }, 'stopping');
      void withinDeadline(server.stop(), () => fail('the server did not stop in time')).then(() => process.exit(0));
    },
    abort: () => {
      server.abandon();
      process.exit(1);
    },
  });

  try {
    const running = await server.start(process.env, { onFailure: fail, onStep: progress.report });
    progress.end();
    const isFound = given.dataDir === defaultSettings().dataDir && !process.env['KUBECONFIG'];
    const kubeconfigCommand = process.env[KUBECONFIG_COMMAND] || undefined;
    if (!stopping) process.stdout.write(startBanner({ ...config, ...running, isFound, kubeconfigCommand }));
  } catch (error) {
    progress.end();
    // If the start failed because of the stop, that is not an error.
    if (!stopping) throw error;
  }
}

/** What the banner tells about a running server. */
export interface BannerFacts {
  readonly url: string;
  /** Absolute path. */
  readonly kubeconfig: string;
  /** Whether commands that are started at the same place find that kubeconfig by themselves. */
  readonly isFound: boolean;
  /** A readable name of the database and schema. */
  readonly database: string;
  readonly bindAddress: string;
  readonly authorizationMode: readonly string[];
  readonly swaggerUi: boolean;
  readonly ui: boolean;
  /** In a container: the command by which users outside of it get a kubeconfig. */
  readonly kubeconfigCommand?: string;
}

/** The text that a server prints to stdout once it is ready. */
export function startBanner(facts: BannerFacts): string {
  const { url, kubeconfig, isFound, database, bindAddress, authorizationMode, swaggerUi, ui, kubeconfigCommand } = facts;
  const isContained = kubeconfigCommand !== undefined;
  const withoutWarning = isContained
    ? ''
    : `; \`${PROGRAM_CALL} ui${isFound ? '' : ` --kubeconfig ${shellWord(kubeconfig)}`}\` serves it without one`;
  return [
    `coordination-apiserver ${PROGRAM_VERSION} is serving at ${url}`,
    '',
    `  listening:  ${isWildcard(bindAddress) ? `on all interfaces (${bindAddress})` : `only on ${bindAddress} (see --bind-address)`}`,
    `  access:     ${access(authorizationMode)}`,
    `  database:   ${database}`,
    `  kubeconfig: ${kubeconfig}${isContained ? ', in this container' : ''}`,
    ...(ui ? [`  dashboard:  ${url}/ui/ (with a certificate warning${withoutWarning})`] : []),
    ...(swaggerUi ? [`  API pages:  ${url}/swagger`] : []),
    '',
    isContained ? 'Try outside of this container:' : 'Try in another shell:',
    '',
    ...(isContained ? firstStepsOutside(kubeconfigCommand) : firstSteps(kubeconfig)).map((line) => `  ${line}`),
    '',
    '',
  ].join('\n');
}

function firstSteps(kubeconfig: string): string[] {
  return [`export KUBECONFIG=${shellWord(kubeconfig)}`, 'kubectl get leases -A -w'];
}

function firstStepsOutside(kubeconfigCommand: string): string[] {
  return [`${kubeconfigCommand} > admin.kubeconfig`, 'kubectl --kubeconfig admin.kubeconfig get leases -A -w'];
}

function access(modes: readonly string[]): string {
  const [first] = modes;
  if (first !== 'AlwaysAllow') return `as --authorization-mode=${modes.join(',')} allows`;
  return 'any valid token or certificate has full access (--authorization-mode=Node,RBAC restricts it)';
}

const REDRAW_MS = 1000;

/** Shows the current step of a start and its duration in one line that is redrawn, if the output is a terminal; otherwise nothing. */
export class StartProgress {
  readonly #shown: boolean;
  readonly #write: (text: string) => void;
  readonly #began = Date.now();
  #step = 'starting';
  #timer: NodeJS.Timeout | undefined;

  constructor(shown = process.stderr.isTTY, write: (text: string) => void = (text) => void process.stderr.write(text)) {
    this.#shown = shown;
    this.#write = write;
    if (!shown) return;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS).unref();
  }

  readonly report = (step: string): void => {
    this.#step = step;
    if (this.#timer) this.#draw();
  };

  /** Clears the line. */
  end(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#write('\r\u001b[K');
  }

  #draw(): void {
    if (this.#shown) this.#write(`\r${this.#step} ... ${Math.floor((Date.now() - this.#began) / 1000)} s\u001b[K`);
  }
}
