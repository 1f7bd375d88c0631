import { field, list } from '../../../../apimachinery/schema/type-builders.js';
import { candidateSchema, commonSpecFields, strategyType } from '../lease-candidate-fields.js';

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
