import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from './exchange.js';
import { inOneSecond } from './in-one-second.js';
import { Placeholders } from './placeholders.js';
import type { Answer, Scenario, Step, Target } from './recording.js';
import { refine } from './refine.js';
import { RunningWatch } from './running-watch.js';
import { type Variables, derive, fill, holds, pick } from './variables.js';

/** A compared step with the answer of the server under test. */
export interface StepResult {
  readonly step: Step;
  readonly title: string;
  readonly got: Answer;
  /** The answer as it would be had no second turned between the writes of the scenario. */
  readonly gotInOneSecond: Answer;
}

/** Runs a scenario in a fresh namespace, which is deleted afterwards. */
export async function runScenario(target: Target, scenario: Scenario): Promise<StepResult[]> {
  const run = new ScenarioRun(target);
  if (!scenario.noNamespace) await run.createNamespace();
  try {
    const results: StepResult[] = [];
    for (const step of scenario.steps) {
      const got = await run.take(step);
      if (got !== undefined && step.expect !== undefined) results.push({ step, title: titleOf(step), ...got });
    }
    return results;
  } finally {
    run.stopWatches();
    if (!scenario.noNamespace) await run.deleteNamespace();
  }
}

const titleOf = (step: Step) =>
  step.title ??
  (step.check
    ? `check ${Object.keys(step.check).join('; ')}`
    : `${step.method ?? (step.collect ? 'collect' : 'GET')} ${step.path ?? step.collect}`);

class ScenarioRun {
  readonly #target: Target;
  readonly #variables: Variables = { ns: `conf-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}` };
  readonly #placeholders = new Placeholders(this.#variables);
  readonly #watches = new Map<string, RunningWatch>();

  constructor(target: Target) {
    this.#target = target;
  }

  async createNamespace(): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#variables['ns'] } };
    await exchange(this.#target, { method: 'POST', path: '/api/v1/namespaces', body }, this.#variables);
  }

  async deleteNamespace(): Promise<void> {
    await exchange(this.#target, { method: 'DELETE', path: '/api/v1/namespaces/${ns}' }, this.#variables);
  }

  stopWatches(): void {
    for (const watch of this.#watches.values()) watch.stop();
  }

  /** The answer of a compared step, with placeholders; undefined for other steps. */
  async take(step: Step): Promise<Pick<StepResult, 'got' | 'gotInOneSecond'> | undefined> {
    if (step.sleepMs !== undefined) await sleep(step.sleepMs);
    else if (step.open !== undefined) this.#watches.set(step.open, await RunningWatch.open(this.#target, step, this.#variables));
    else if (step.set !== undefined) this.#set(step.set);
    else return this.#answer(step);
    return undefined;
  }

  async #answer(step: Step): Promise<Pick<StepResult, 'got' | 'gotInOneSecond'> | undefined> {
    let raw: Answer;
    try {
      raw = await this.#ask(step);
    } catch (error) {
      raw = { error: (error as Error).message };
    }
    for (const [name, path] of Object.entries(step.capture ?? {})) this.#variables[name] = String(pick(raw, path));
    if (step.silent) return undefined;
    const cleaned = (answer: Answer) => this.#placeholders.clean(refine(answer, step)) as Answer;
    return { got: cleaned(raw), gotInOneSecond: cleaned(inOneSecond(raw)) };
  }

  async #ask(step: Step): Promise<Answer> {
    if (step.check !== undefined) return this.#check(step.check);
    if (step.collect === undefined) return exchange(this.#target, step, this.#variables);
    const watch = this.#watches.get(step.collect);
    if (watch === undefined) throw new Error(`no watch ${step.collect}`);
    return watch.collect(step);
  }

  #set(definitions: NonNullable<Step['set']>): void {
    for (const [name, [operation, ...raw]] of Object.entries(definitions)) {
      const [a = '', b] = raw.map((text) => fill(text, this.#variables));
      const value = derive(operation, a, b);
      this.#variables[name] = value;
      if (value.length > 3) this.#placeholders.name(value, name);
    }
  }

  #check(tests: NonNullable<Step['check']>): Answer {
    const outcomes = Object.entries(tests).map(([title, [a, relation, b]]) => [
      title,
      holds(fill(a, this.#variables), relation, fill(b, this.#variables)),
    ]);
    return { status: 'check', body: Object.fromEntries(outcomes) as unknown };
  }
}
