import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { VERSION } from '../../src/server/process/process.module.js';

/** The release of Kubernetes whose answers this server gives, such as `1.37.2`. */
export const REFERENCE = /^v(\d+\.\d+\.\d+)/.exec(VERSION.gitVersion)?.[1] ?? '';

/** The programs that answer as kube-apiserver. */
export interface UpstreamPrograms {
  readonly apiserver: string;
  readonly etcd: string;
}

export type GivenPrograms = Partial<Record<keyof UpstreamPrograms, string | undefined>>;

/** A program was not found; the message says which, and where it would be. */
export class MissingUpstreamError extends Error {}

/** The folder of upstream's programs: UPSTREAM_HOME, else that of the release that KUBE names, else that of the reference. */
export function upstreamHome({ UPSTREAM_HOME, KUBE }: NodeJS.ProcessEnv = process.env): string {
  return UPSTREAM_HOME || path.join(homedir(), '.cache', `upstream-${KUBE || REFERENCE}`);
}

/** Finds kube-apiserver and etcd, where no path is given, in `bin` of that folder. Throws MissingUpstreamError. */
export function findUpstream(given: GivenPrograms = {}, environment: NodeJS.ProcessEnv = process.env): UpstreamPrograms {
  return {
    apiserver: findProgram('kube-apiserver', environment, given.apiserver),
    etcd: findProgram('etcd', environment, given.etcd),
  };
}

/**
 * Finds one program, such as kube-scheduler. The PATH is not searched: another release would be taken for the one that was meant.
 * Throws MissingUpstreamError.
 */
export function findProgram(name: string, environment: NodeJS.ProcessEnv = process.env, given?: string): string {
  const file = given ?? path.join(upstreamHome(environment), 'bin', name);
  if (existsSync(file)) return file;
  throw new MissingUpstreamError(`there is no ${file}: test/upstream/build.sh builds it, or UPSTREAM_HOME names another folder`);
}

/** Why these programs cannot be run here; undefined if they can. */
export function whyMissing(...names: readonly string[]): string | undefined {
  try {
    for (const name of names) findProgram(name);
    return undefined;
  } catch (error) {
    if (error instanceof MissingUpstreamError) return error.message;
    throw error;
  }
}
