import { objectFields } from '../../../apimachinery/meta/object-meta.schema.js';
import {
  type Field,
  type Presence,
  type TypeOf,
  field,
  list,
  microTime,
  requiredField,
  string,
  struct,
} from '../../../apimachinery/schema/struct-type.js';

/** The Go type of a strategy in every version. */
const strategyType = string('v1.CoordinatedLeaseStrategy');

const BINARY_VERSION = 'Version of the program, in semver.org format without a leading `v`.';

/** The fields that the specs of all versions share, in wire order. Versions differ in whether binaryVersion is required. */
function commonSpecFields<BinaryVersion extends Presence>(binaryVersion: BinaryVersion) {
  return [
    requiredField(
      'leaseName',
      1,
      string(),
      'Name of the lease that the candidate contends for. Several candidates may name the same one. It cannot be changed.',
    ),
    field(
      'pingTime',
      2,
      microTime(),
      'optional',
      'When the server last asked the candidate to confirm, by a new renewTime, that it is alive.',
    ),
    field(
      'renewTime',
      3,
      microTime(),
      'optional',
      'When the candidate last confirmed that it is alive. Candidates are deleted half an hour after it.',
    ),
    { ...field('binaryVersion', 4, string(), binaryVersion, BINARY_VERSION), required: binaryVersion === 'always' },
    field(
      'emulationVersion',
      5,
      string(),
      'omitEmpty',
      'Version that the program emulates, not newer than binaryVersion. Required by the strategy OldestEmulationVersion.',
    ),
  ] as const;
}

/** The wire type of a version, built from the fields of its spec. `specRequired`: whether OpenAPI lists `spec` as required. */
function candidateSchema<const SpecFields extends readonly Field[]>(version: string, specFields: SpecFields, specRequired = true) {
  const prefix = `io.k8s.api.coordination.${version}`;
  const spec = struct(`${prefix}.LeaseCandidateSpec`, 'Specification of a candidate for a lease.', specFields);
  return struct(`${prefix}.LeaseCandidate`, 'A candidate for a lease in coordinated leader election.', [
    ...objectFields(),
    { ...field('spec', 2, spec, 'always', 'Specification of the candidate.'), required: specRequired },
  ]);
}

const strategy = field(
  'strategy',
  6,
  strategyType,
  'omitEmpty',
  'Strategy for choosing the holder. If candidates for one lease differ, the one with the newest binaryVersion decides.',
);
const specFields = [...commonSpecFields('always'), { ...strategy, required: true }] as const;

/** coordination.k8s.io/v1beta1 LeaseCandidate. */
export const leaseCandidateV1beta1Schema = candidateSchema('v1beta1', specFields);

/** coordination.k8s.io/v1alpha2 LeaseCandidate. */
export const leaseCandidateV1alpha2Schema = candidateSchema('v1alpha2', specFields);

/** coordination.k8s.io/v1alpha1 LeaseCandidate. */
export const leaseCandidateV1alpha1Schema = candidateSchema(
  'v1alpha1',
  [
    ...commonSpecFields('omitEmpty'),
    field(
      'preferredStrategies',
      6,
      list(strategyType),
      'omitEmpty',
      'Strategies for choosing the holder, most preferred first. The lists of all candidates for a lease are merged.',
    ),
  ],
  false,
);

/** The hub type of candidates for a lease; it has the shape of v1beta1. Times are MicroTimes. */
export type LeaseCandidate = TypeOf<typeof leaseCandidateV1beta1Schema>;

export type LeaseCandidateSpec = LeaseCandidate['spec'];
