import { objectFields } from '../../../../src/apimachinery/meta/object-meta.schema.js';
import { field, int32, struct } from '../../../../src/apimachinery/schema/struct-type.js';

const widgetSpecV1Schema = struct('com.example.toys.v1.WidgetSpec', 'What a widget is to be.', [
  field('size', 1, int32(), 'optional', 'How large the widget is.'),
]);

/** toys.example.com/v1 Widget. */
export const widgetV1Schema = struct('com.example.toys.v1.Widget', 'A resource for tests.', [
  ...objectFields(),
  field('spec', 2, widgetSpecV1Schema, 'always', 'What the widget is to be.'),
]);
