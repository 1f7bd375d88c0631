import { compareVersions } from '../../apimachinery/version/semantic-version.js';
import type { Candidate } from './candidate.js';

/**
 * Elects by OldestEmulationVersion: the oldest emulation version, then the oldest binary version, then the oldest candidate; the first in
 * the list wins a tie. Candidates with unreadable versions are skipped (kubernetes pkg/controlplane/controller/leaderelection/election.go).
 */
export function pickOldestEmulationVersion(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    if (candidate.emulationVersion && candidate.binaryVersion && (!best || isBetter(candidate, best))) best = candidate;
  }
  return best;
}

function isBetter(candidate: Candidate, best: Candidate): boolean {
  const order =
    compareKnown(candidate.emulationVersion, best.emulationVersion) || compareKnown(candidate.binaryVersion, best.binaryVersion);
  return (order || candidate.created - best.created) < 0;
}

function compareKnown(a: Candidate['binaryVersion'], b: Candidate['binaryVersion']): number {
  return a && b ? compareVersions(a, b) : 0;
}
