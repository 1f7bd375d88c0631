import { field } from '../../../../apimachinery/schema/type-builders.js';
import { candidateSchemas, commonSpecFields, strategyType } from '../lease-candidate-fields.js';

const schemas = candidateSchemas('v1beta1', [
  ...commonSpecFields('always'),
  {
    ...field(
      'strategy',
      6,
      strategyType,
      'omitEmpty',
      'How the holder is to be chosen. If candidates of one lease differ, the one with the newest binaryVersion decides.',
    ),
    required: true,
  },
]);

/** coordination.k8s.io/v1beta1 LeaseCandidate. */
export const leaseCandidateV1beta1Schema = schemas.candidate;

/** coordination.k8s.io/v1beta1 LeaseCandidateList. */
export const leaseCandidateListV1beta1Schema = schemas.list;
