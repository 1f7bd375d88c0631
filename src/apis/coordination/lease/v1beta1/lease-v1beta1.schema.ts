import { struct } from '../../../../apimachinery/schema/type-builders.js';
import { leaseSpecV1Schema, leaseV1Schema } from '../v1/lease-v1.schema.js';

const V1BETA1 = 'io.k8s.api.coordination.v1beta1';

/** coordination.k8s.io/v1beta1 LeaseSpec: the same fields as in v1. */
const leaseSpecV1beta1Schema = struct({ ...leaseSpecV1Schema, openapiName: `${V1BETA1}.LeaseSpec` });

/** coordination.k8s.io/v1beta1 Lease. */
export const leaseV1beta1Schema = struct({
  ...leaseV1Schema,
  openapiName: `${V1BETA1}.Lease`,
  fields: leaseV1Schema.fields.map((field) => (field.name === 'spec' ? { ...field, type: leaseSpecV1beta1Schema } : field)),
});
