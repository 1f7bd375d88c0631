import { type TypeOf, field, list, map, requiredField, string, struct } from '../schema/struct-type.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.LabelSelectorRequirement. */
export const labelSelectorRequirementSchema = struct(`${META}.LabelSelectorRequirement`, 'One condition on the labels of an object.', [
  requiredField('key', 1, string(), 'Key of the label.'),
  requiredField('operator', 2, string('v1.LabelSelectorOperator'), "How: 'In', 'NotIn', 'Exists' or 'DoesNotExist'."),
  field('values', 3, list(string()), 'omitEmpty', "Values for 'In' and 'NotIn'; empty for other operators."),
]);

/** metav1.LabelSelectorRequirement; metav1.FieldSelectorRequirement has the same shape. */
export type SelectorRequirement = TypeOf<typeof labelSelectorRequirementSchema>;

/** metav1.LabelSelector. */
export const labelSelectorSchema = struct(
  `${META}.LabelSelector`,
  'Selects objects by their labels. All conditions must hold; an empty selector selects everything.',
  [
    field('matchLabels', 1, map(string()), 'omitEmpty', 'Labels and the values they must have.'),
    field('matchExpressions', 2, list(labelSelectorRequirementSchema), 'omitEmpty', 'Further conditions.'),
  ],
  { atomic: true },
);

/** metav1.LabelSelector. */
export type LabelSelectorObject = TypeOf<typeof labelSelectorSchema>;

/** metav1.FieldSelectorRequirement. */
export const fieldSelectorRequirementSchema = struct(`${META}.FieldSelectorRequirement`, 'One condition on a field of an object.', [
  requiredField('key', 1, string(), 'Path of the field.'),
  requiredField('operator', 2, string('v1.FieldSelectorOperator'), "How: 'In', 'NotIn', 'Exists' or 'DoesNotExist'."),
  field('values', 3, list(string()), 'omitEmpty', "Values for 'In' and 'NotIn'; empty for other operators."),
]);
