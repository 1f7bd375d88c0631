import { field } from '../../../../apimachinery/schema/type-builders.js';
import { candidateSchema, commonSpecFields, strategyType } from '../lease-candidate-fields.js';

/** coordination.k8s.io/v1alpha2 LeaseCandidate. */
export const leaseCandidateV1alpha2Schema = candidateSchema('v1alpha2', [
  ...commonSpecFields('always'),
  {
    ...field(
      'strategy',
      6,
      strategyType,
      'omitEmpty',
      'Strategy for choosing the holder. If candidates for one lease differ, the one with the newest binaryVersion decides.',
    ),
    required: true,
  },
]);
