import { field, int32, list, raw, requiredField, string, struct, typeMetaFields } from '../schema/struct-type.js';
import { listMetaSchema } from './object-meta.schema.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** metav1.TableColumnDefinition. */
const tableColumnDefinitionSchema = struct(`${META}.TableColumnDefinition`, 'A column of a Table.', [
  requiredField('name', 0, string(), 'Heading of the column.'),
  requiredField('type', 0, string(), 'OpenAPI type of the cells: number, integer, string, array or boolean.'),
  requiredField('format', 0, string(), "OpenAPI format of the cells; 'name' marks the column with the name of the object."),
  requiredField('description', 0, string(), 'What the column shows.'),
  requiredField('priority', 0, int32(), 'Priority; columns above 0 may be omitted where space is limited.'),
]);

const tableRowConditionSchema = struct(`${META}.TableRowCondition`, 'A condition of a row of a Table.', [
  requiredField('type', 0, string('v1.RowConditionType'), 'Type of the condition.'),
  requiredField('status', 0, string('v1.ConditionStatus'), 'True, False or Unknown.'),
  field('reason', 0, string(), 'omitEmpty', 'Machine-readable reason of the condition.'),
  field('message', 0, string(), 'omitEmpty', 'Why, for people.'),
]);

/** metav1.TableRow; `object` absent is written as null. */
export const tableRowSchema = struct(`${META}.TableRow`, 'A row of a Table, which represents one object.', [
  requiredField('cells', 0, list(raw()), 'Values, one per column.'),
  field('conditions', 0, list(tableRowConditionSchema), 'omitEmpty', 'Conditions of the row.'),
  field(
    'object',
    0,
    raw('io.k8s.apimachinery.pkg.runtime.RawExtension'),
    'always',
    'The object, to the extent requested by includeObject.',
  ),
]);

/** metav1.Table: a list prepared for printing. It has no protobuf form; absent columnDefinitions are written as null. */
export const tableSchema = struct(`${META}.Table`, 'A list as a table, with columns chosen by the server.', [
  ...typeMetaFields(),
  field('metadata', 0, listMetaSchema, 'always', 'Metadata of the list.'),
  requiredField('columnDefinitions', 0, list(tableColumnDefinitionSchema), 'The columns.'),
  requiredField('rows', 0, list(tableRowSchema), 'The rows.'),
]);
