import { type TypeOf, bool, field, int64, list, string, struct, typeMetaFields } from '../schema/struct-type.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.Preconditions. */
const preconditionsSchema = struct(`${META}.Preconditions`, 'Conditions that the object must meet before the operation is carried out.', [
  field('uid', 1, string('types.UID'), 'optional', 'The UID that the object must have.'),
  field('resourceVersion', 2, string(), 'optional', 'The resourceVersion that the object must have.'),
]);

/** metav1.DeleteOptions. */
export const deleteOptionsSchema = struct(`${META}.DeleteOptions`, 'Options for the deletion of an object.', [
  ...typeMetaFields(),
  field('gracePeriodSeconds', 1, int64(), 'optional', 'Seconds that the object has to terminate gracefully; zero means immediately.'),
  field(
    'preconditions',
    2,
    preconditionsSchema,
    'optional',
    'Conditions that must be met before the deletion; otherwise the response is 409.',
  ),
  field(
    'orphanDependents',
    3,
    bool(),
    'optional',
    'Deprecated: use propagationPolicy. Whether dependents are orphaned instead of deleted.',
  ),
  field(
    'propagationPolicy',
    4,
    string('v1.DeletionPropagation'),
    'optional',
    "What happens to dependents: 'Orphan', 'Background' or 'Foreground'.",
  ),
  field('dryRun', 5, list(string()), 'omitEmpty', "With 'All', the request is fully validated but nothing is stored."),
  field(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    6,
    bool(),
    'optional',
    'Deletes an object that is stored in a form that cannot be decoded. Refused for all other objects.',
  ),
]);

/** metav1.DeleteOptions as a DELETE request carries it; not validated yet. */
export type DeleteOptionsBody = TypeOf<typeof deleteOptionsSchema>;
