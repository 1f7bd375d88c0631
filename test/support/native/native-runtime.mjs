// Jest's own runtime evaluates every module again for each test file, in a context of its own; that took a tenth of the suites' processor time.
// With this one Node loads them, once for each worker (docs/decisions/0034-tests-without-contexts.md).
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ModuleMocker } from 'jest-mock';
import { isOurs, ROOT } from '../register-typescript.mjs';
import { SourceMaps } from './source-maps.mjs';
import { setGlobals } from './jest-globals.mjs';

const require = createRequire(import.meta.url);
const GLOBALS = new URL('jest-globals.mjs', import.meta.url).href;

/** Folders with modules of tests, below the root: these may register hooks and keep state, so each test file has its own. */
const OF_TESTS = /^(test|packages\/[^/]+\/test)\//;
/** While jest watches, sources may have changed since the run before. */
let watches = false;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
    const resolved = next(specifier, context);
    const run = /\?run=\d+$/.exec(context.parentURL ?? '')?.[0];
    if (!run || !isOurs(resolved.url) || !(watches || OF_TESTS.test(resolved.url.slice(ROOT.length)))) return resolved;
    return { ...resolved, url: resolved.url + run };
  },
});

const sourceMaps = new SourceMaps();
let runs = 0;

/** What jest-runner and jest-circus ask of a runtime (jest's option `runtime`). */
export default class NativeRuntime {
  #environment;
  #mocker = new ModuleMocker(globalThis);
  #symbols = new Set(Object.getOwnPropertySymbols(globalThis));

  constructor(_config, environment, _resolver, _transformer, _files, _coverage, _path, globalConfig) {
    this.#environment = environment;
    watches = globalConfig.watch || globalConfig.watchAll;
  }

  /** Loads circus anew: it keeps the tests of one file. */
  requireInternalModule(file) {
    delete require.cache[file];
    return require(file);
  }

  setGlobalsForRuntime(globals) {
    setGlobals({ ...globals, jest: this.#jest() });
  }

  requireModule(file) {
    return require(file);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** Also evaluates a file again that ran before, as in watch mode. */
  unstable_importModule(file) {
    return import(`${pathToFileURL(file).href}?run=${++runs}`);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {
    this.#mocker.restoreAllMocks();
    // The globals that circus made would keep this file's tests in memory, and handle the next file's events.
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (!this.#symbols.has(symbol)) Reflect.deleteProperty(globalThis, symbol);
  }

  #jest() {
    const mocker = this.#mocker;
    const timers = this.#environment.fakeTimersModern;
    return {
      fn: mocker.fn.bind(mocker),
      spyOn: mocker.spyOn.bind(mocker),
      useFakeTimers: (config) => timers.useFakeTimers(config),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    };
  }
}
