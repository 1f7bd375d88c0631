import { raw, requiredField, string, struct } from '../schema/type-builders.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.WatchEvent: one line of a watch stream. */
export const watchEventSchema = struct(`${META}.WatchEvent`, 'A change that a watch reports.', [
  requiredField('type', 1, string(), "'ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK' or 'ERROR'."),
  requiredField(
    'object',
    2,
    raw('io.k8s.apimachinery.pkg.runtime.RawExtension', 'An object of any kind.'),
    'The object after the change; for DELETED, as it was before; for BOOKMARK, only its resourceVersion; for ERROR, a Status.',
  ),
]);
