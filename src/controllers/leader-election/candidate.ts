import { type SemanticVersion, parseTolerantVersion } from '../../apimachinery/version/semantic-version.js';
import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import { preferredStrategies } from '../../apis/coordination/lease-candidate/preferred-strategies.js';
import { microsOf } from '../../apimachinery/go/go-time.js';

/** A candidate as an election sees it. Times are in microseconds. */
export interface Candidate {
  readonly name: string;
  readonly created: number;
  readonly pingTime?: number;
  readonly renewTime?: number;
  /** Undefined if it cannot be parsed. */
  readonly binaryVersion?: SemanticVersion;
  readonly emulationVersion?: SemanticVersion;
  /** Preferred first. */
  readonly strategies: readonly string[];
}

export function candidateOf(object: LeaseCandidate): Candidate {
  const { metadata, spec } = object;
  return {
    name: metadata.name ?? '',
    created: (Date.parse(metadata.creationTimestamp ?? '') || 0) * 1000,
    pingTime: microsOf(spec.pingTime),
    renewTime: microsOf(spec.renewTime),
    binaryVersion: parseTolerantVersion(spec.binaryVersion),
    emulationVersion: parseTolerantVersion(spec.emulationVersion ?? ''),
    strategies: preferredStrategies(object),
  };
}
