import { ModernFakeTimers } from '@jest/fake-timers';

/** Tests share the process's own globals. After a file, its timers, environment variables, working directory and `process.exit` are as before. */
export default class NativeEnvironment {
  global = globalThis;
  fakeTimers = null;
  fakeTimersModern;
  #exit = process.exit;
  #directory = process.cwd();
  #variables = { ...process.env };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  setup() {}

  teardown() {
    this.fakeTimersModern.dispose();
    process.exit = this.#exit;
    process.chdir(this.#directory);
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }

  getVmContext() {
    return null;
  }
}
