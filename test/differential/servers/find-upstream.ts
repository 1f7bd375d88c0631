import { existsSync } from 'node:fs';
import path from 'node:path';

/** The upstream programs. */
export interface UpstreamPrograms {
  readonly apiserver: string;
  readonly etcd: string;
}

export interface GivenPrograms {
  readonly apiserver?: string | undefined;
  readonly etcd?: string | undefined;
}

/** The environment variable for the folder whose `bin` may contain the programs. */
export const UPSTREAM_HOME = 'UPSTREAM_HOME';

/** One of the programs was not found; the message names it and where it was searched for. */
export class MissingUpstreamError extends Error {}

/** Finds kube-apiserver and etcd: at the given paths, else in `$UPSTREAM_HOME/bin`, else in the PATH. Throws MissingUpstreamError. */
export function findUpstream(given: GivenPrograms, environment: NodeJS.ProcessEnv = process.env): UpstreamPrograms {
  return {
    apiserver: find('kube-apiserver', given.apiserver, environment),
    etcd: find('etcd', given.etcd, environment),
  };
}

/** Finds another program of Kubernetes, such as kube-scheduler, in the same places. Throws MissingUpstreamError. */
export function findProgram(name: string, environment: NodeJS.ProcessEnv = process.env): string {
  return find(name, undefined, environment);
}

function find(name: string, given: string | undefined, environment: NodeJS.ProcessEnv): string {
  const home = environment[UPSTREAM_HOME];
  const folders = [...(home ? [path.join(home, 'bin')] : []), ...(environment['PATH'] ?? '').split(path.delimiter)];
  const found = [given ?? folders.map((folder) => path.join(folder, name))].flat().find((file) => existsSync(file));
  if (found !== undefined) return found;
  const where = given === undefined ? `neither in $${UPSTREAM_HOME}/bin nor in the PATH` : `not at ${given}`;
  throw new MissingUpstreamError(`there is no ${name} to compare with: ${where}. See --help for how to name it.`);
}
