import { listMetaSchema } from '../../../apimachinery/meta/list-meta.schema.js';
import { objectMetaSchema } from '../../../apimachinery/meta/object-meta.schema.js';
import type { Field, Presence, StructType } from '../../../apimachinery/schema/struct-type.js';
import { field, list, microTime, requiredField, string, struct, typeMetaFields } from '../../../apimachinery/schema/type-builders.js';

/** Go's type of a strategy, in every version. */
export const strategyType = string('v1.CoordinatedLeaseStrategy');

const BINARY_VERSION = 'The version of the program, by semver.org and without a leading `v`.';

/** The fields of a spec that all versions have, in wire order: between them they differ in whether binaryVersion must be given. */
export function commonSpecFields(binaryVersion: Presence): Field[] {
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
  ];
}

/** The wire types of a version, made of the fields of its spec. */
export interface CandidateSchemas {
  readonly spec: StructType;
  readonly candidate: StructType;
  readonly list: StructType;
}

/** `specRequired`: what OpenAPI says of `spec`. */
export function candidateSchemas(version: string, specFields: readonly Field[], specRequired = true): CandidateSchemas {
  const prefix = `io.k8s.api.coordination.${version}`;
  const spec = struct({
    goName: 'LeaseCandidateSpec',
    openapiName: `${prefix}.LeaseCandidateSpec`,
    description: 'What a candidate for a lease says of itself.',
    fields: specFields,
  });
  const candidate = struct({
    goName: 'LeaseCandidate',
    openapiName: `${prefix}.LeaseCandidate`,
    description: 'Somebody who would hold a lease, if coordinated leader election chooses so.',
    fields: [
      ...typeMetaFields(),
      field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
      { ...field('spec', 2, spec, 'always', 'What the candidate says of itself.'), required: specRequired },
    ],
  });
  const listSchema = struct({
    goName: 'LeaseCandidateList',
    openapiName: `${prefix}.LeaseCandidateList`,
    description: 'A list of candidates.',
    fields: [
      ...typeMetaFields(),
      field('metadata', 1, listMetaSchema, 'always', 'Standard metadata of the list.'),
      requiredField('items', 2, list(candidate), 'The candidates.'),
    ],
  });
  return { spec, candidate, list: listSchema };
}
