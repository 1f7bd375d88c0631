import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PluginCredentials, credentialsIn, pluginCommand, pluginFailure } from '../../../../src/kube/exec-plugin.js';
import type { Fields } from '../../../../src/kube/kubeconfig.js';
import { LockError } from '../lock-options.js';

const run = promisify(execFile);
/** A credential is fetched again this long before it ends. */
const EARLY = 30_000;

/** If refused credentials are younger than this, the plugin would issue the same again. */
const YOUNG = 5_000;

/**
 * A kubeconfig's credential plugin, which runs once at a time; its answer is kept until it expires or a server refuses it. A plugin that fails
 * after it has worked is asked again, like a server that does not answer.
 */
export class ExecCredential {
  readonly #exec: Fields;
  #kept: PluginCredentials | undefined;
  #keptSince = 0;
  #asked: Promise<PluginCredentials> | undefined;

  constructor(exec: Fields) {
    this.#exec = exec;
  }

  async issue(): Promise<PluginCredentials> {
    if (this.#kept && Date.now() < this.#kept.until - EARLY) return this.#kept;
    this.#asked ??= ask(this.#exec).finally(() => (this.#asked = undefined));
    try {
      this.#kept = await this.#asked;
      this.#keptSince = Date.now();
      return this.#kept;
    } catch (error) {
      if (this.#kept && Date.now() < this.#kept.until) return this.#kept;
      throw new LockError(this.#kept ? 'unreachable' : 'configuration', (error as Error).message);
    }
  }

  /** Called when a server has refused the credentials: a plugin need not say when they end. Answers whether others may be issued. */
  refused(): boolean {
    if (!this.#kept || Date.now() < this.#keptSince + YOUNG) return false;
    this.#kept = { ...this.#kept, until: 0 };
    return true;
  }
}

async function ask(exec: Fields): Promise<PluginCredentials> {
  const { command, args, options } = pluginCommand(exec);
  try {
    const running = run(command, args, options);
    running.child.stdin?.end();
    return credentialsIn((await running).stdout, exec);
  } catch (error) {
    throw pluginFailure(command, error);
  }
}
