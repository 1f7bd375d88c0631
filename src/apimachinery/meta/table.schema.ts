import { field, int32, list, raw, requiredField, string, struct, typeMetaFields } from '../schema/type-builders.js';
import { listMetaSchema } from './list-meta.schema.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.TableColumnDefinition. */
const tableColumnDefinitionSchema = struct({
  goName: 'TableColumnDefinition',
  openapiName: `${META}.TableColumnDefinition`,
  description: 'A column of a Table.',
  fields: [
    requiredField('name', 0, string(), 'Heading of the column.'),
    requiredField('type', 0, string(), 'OpenAPI type of the cells: number, integer, string, array or boolean.'),
    requiredField('format', 0, string(), "OpenAPI format of the cells; 'name' marks the column that identifies the object."),
    requiredField('description', 0, string(), 'What the column shows.'),
    requiredField('priority', 0, int32(), 'Importance; columns above 0 may be left out where space is short.'),
  ],
});

const tableRowConditionSchema = struct({
  goName: 'TableRowCondition',
  openapiName: `${META}.TableRowCondition`,
  description: 'A mark on a row of a Table.',
  fields: [
    requiredField('type', 0, string('v1.RowConditionType'), 'What is marked.'),
    requiredField('status', 0, string('v1.ConditionStatus'), 'True, False or Unknown.'),
    field('reason', 0, string(), 'omitEmpty', 'Why, in one word.'),
    field('message', 0, string(), 'omitEmpty', 'Why, for people.'),
  ],
});

/** metav1.TableRow; `object` absent is written as null. */
export const tableRowSchema = struct({
  goName: 'TableRow',
  openapiName: `${META}.TableRow`,
  description: 'A row of a Table: an object as it is shown.',
  fields: [
    requiredField('cells', 0, list(raw()), 'The values, one for each column.'),
    field('conditions', 0, list(tableRowConditionSchema), 'omitEmpty', 'Marks on the row.'),
    field('object', 0, raw('io.k8s.apimachinery.pkg.runtime.RawExtension'), 'always', 'The object, as far as includeObject asked for it.'),
  ],
});

/** metav1.Table: a list prepared for printing. It has no protobuf form; absent columnDefinitions are written as null. */
export const tableSchema = struct({
  goName: 'Table',
  openapiName: `${META}.Table`,
  description: 'A list prepared for printing, with columns that the server chose.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 0, listMetaSchema, 'always', 'Metadata of the list.'),
    requiredField('columnDefinitions', 0, list(tableColumnDefinitionSchema), 'The columns.'),
    requiredField('rows', 0, list(tableRowSchema), 'The rows.'),
  ],
});
