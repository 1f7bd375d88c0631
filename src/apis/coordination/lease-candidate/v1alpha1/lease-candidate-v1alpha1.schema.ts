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
      'How the holder may be chosen. The first one goes before all others; the lists of all candidates of a lease are merged.',
    ),
  ],
  false,
);
