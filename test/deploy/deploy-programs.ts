import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { clientCache } from '../clients/client-cache.js';
import { type ProgramResult, mustRun, runProgram } from '../clients/run-program.js';

const root = path.resolve(import.meta.dirname, '../..');
const SOURCE = path.join(import.meta.dirname, 'go');
const PROGRAMS = ['check', 'helm', 'actionlint'];
const CHART = 'deploy/helm/coordination-apiserver';

/** Helm, actionlint and the manifest checker, pinned and built by test/deploy/go. */
export class DeployPrograms {
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Test files run side by side, so each program appears at its place complete. */
  static async build(): Promise<DeployPrograms> {
    const dir = clientCache('deploy');
    if (isStale(dir)) {
      const fresh = mkdtempSync(path.join(dir, 'build-'));
      await mustRun('go', ['build', '-o', `${fresh}/`, './check', 'tool'], { cwd: SOURCE });
      for (const name of PROGRAMS) renameSync(path.join(fresh, name), path.join(dir, name));
      rmSync(fresh, { recursive: true });
    }
    return new DeployPrograms(dir);
  }

  /** Runs one of the programs to completion, in the repository and without a cluster. */
  run(program: 'helm' | 'actionlint', args: readonly string[]): Promise<ProgramResult> {
    return runProgram(path.join(this.#dir, program), args, { cwd: root, env: { KUBECONFIG: '/dev/null' } });
  }

  /** Runs Helm on the chart. */
  helm(verb: readonly string[], ...options: string[]): Promise<ProgramResult> {
    // Helm takes the version of Kubernetes that it was built for, which a build without its Makefile does not know.
    return this.run('helm', [...verb, CHART, '--kube-version=1.37.0', ...options]);
  }

  /** Renders the chart as a release with that name in the namespace `leases`. */
  async template(release: string, ...options: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.helm(['template', release], '--namespace=leases', ...options);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  /** Decodes manifests strictly, each into its type. */
  check(manifests: string): Promise<ProgramResult> {
    return runProgram(path.join(this.#dir, 'check'), [], { input: manifests });
  }
}

/** Whether a program is missing, or older than what it is built from. */
function isStale(dir: string): boolean {
  const time = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const built = Math.min(...PROGRAMS.map((name) => time(path.join(dir, name))));
  return ['go.mod', 'go.sum', 'check/main.go'].some((file) => time(path.join(SOURCE, file)) > built);
}

/** Renders a kustomization below deploy/kubernetes. */
export function kustomize(name: string): Promise<string> {
  return mustRun('kubectl', ['kustomize', `deploy/kubernetes/${name}`], { cwd: root });
}

/** A file in test/deploy/values as an option for Helm. */
export function values(name: string): string {
  return `--values=${path.join(import.meta.dirname, 'values', `${name}.yaml`)}`;
}

/** The values that have no default. */
export const IMAGE = '--set=image.repository=coordination-apiserver';
export const DATABASE = '--set=database.url=postgresql://coordination@postgresql:5432/coordination';
