import { objectMetaSchema } from '../../../apimachinery/meta/object-meta.schema.js';
import type { Field, Presence } from '../../../apimachinery/schema/struct-type.js';
import { field, microTime, requiredField, string, struct, typeMetaFields } from '../../../apimachinery/schema/type-builders.js';

/** The Go type of a strategy in every version. */
export const strategyType = string('v1.CoordinatedLeaseStrategy');

const BINARY_VERSION = 'The version of the program, by semver.org and without a leading `v`.';

/** The fields that the specs of all versions share, in wire order. Versions differ in whether binaryVersion is required. */
export function commonSpecFields<BinaryVersion extends Presence>(binaryVersion: BinaryVersion) {
  return [
    requiredField(
      'leaseName',
      1,
      string(),
      'The lease that the candidate is up for. Several candidates may name the same one; it cannot be changed.',
    ),
    field('pingTime', 2, microTime(), 'optional', 'When the server last asked the candidate to show that it is there, by a new renewTime.'),
    field(
      'renewTime',
      3,
      microTime(),
      'optional',
      'When the candidate last showed that it is there. Candidates that have not for half an hour are deleted.',
    ),
    { ...field('binaryVersion', 4, string(), binaryVersion, BINARY_VERSION), required: binaryVersion === 'always' },
    field(
      'emulationVersion',
      5,
      string(),
      'omitEmpty',
      'The version whose behaviour the program shows, not newer than binaryVersion. The strategy OldestEmulationVersion needs it.',
    ),
  ] as const;
}

/** The wire type of a version, built from the fields of its spec. `specRequired`: whether OpenAPI lists `spec` as required. */
export function candidateSchema<const SpecFields extends readonly Field[]>(version: string, specFields: SpecFields, specRequired = true) {
  const prefix = `io.k8s.api.coordination.${version}`;
  const spec = struct({
    goName: 'LeaseCandidateSpec',
    openapiName: `${prefix}.LeaseCandidateSpec`,
    description: 'What a candidate for a lease says of itself.',
    fields: specFields,
  });
  return struct({
    goName: 'LeaseCandidate',
    openapiName: `${prefix}.LeaseCandidate`,
    description: 'Somebody who would hold a lease, if coordinated leader election chooses so.',
    fields: [
      ...typeMetaFields(),
      field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
      { ...field('spec', 2, spec, 'always', 'What the candidate says of itself.'), required: specRequired },
    ],
  });
}
