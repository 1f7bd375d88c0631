import { field } from '../../../../apimachinery/schema/type-builders.js';
import { candidateSchema, commonSpecFields, strategyType } from '../lease-candidate-fields.js';

/** coordination.k8s.io/v1beta1 LeaseCandidate. */
export const leaseCandidateV1beta1Schema = candidateSchema('v1beta1', [
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
