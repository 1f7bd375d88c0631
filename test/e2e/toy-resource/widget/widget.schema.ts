import { objectMetaSchema } from '../../../../src/apimachinery/meta/object-meta.schema.js';
import { field, int32, struct, typeMetaFields } from '../../../../src/apimachinery/schema/type-builders.js';

const widgetSpecV1Schema = struct({
  goName: 'WidgetSpec',
  openapiName: 'com.example.toys.v1.WidgetSpec',
  description: 'What a widget is to be.',
  fields: [field('size', 1, int32(), 'optional', 'How large the widget is.')],
});

/** toys.example.com/v1 Widget. */
export const widgetV1Schema = struct({
  goName: 'Widget',
  openapiName: 'com.example.toys.v1.Widget',
  description: 'A resource for tests.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
    field('spec', 2, widgetSpecV1Schema, 'always', 'What the widget is to be.'),
  ],
});
