import { invalid } from '../../../../src/apimachinery/errors/field-error.js';
import type { KubeObject } from '../../../../src/apimachinery/meta/object-meta.schema.js';
import { nameIsDnsSubdomain } from '../../../../src/apimachinery/validation/names.js';
import { validateObjectMeta } from '../../../../src/apimachinery/validation/object-meta.js';
import {
  type ResourceVersionDefinition,
  ageColumn,
  defineResource,
  nameColumn,
} from '../../../../src/registry/resource/resource-definition.js';
import { widgetV1Schema } from './widget.schema.js';

export interface Widget extends KubeObject {
  spec?: { size?: number };
}

const METADATA = { namespaced: true, validateName: nameIsDnsSubdomain };
const tooSmall = ({ spec }: Widget) => ((spec?.size ?? 1) < 1 ? [invalid('spec.size', spec?.size, 'must be greater than 0')] : []);

export const widgetV1: ResourceVersionDefinition<Widget> = { name: 'v1', schema: widgetV1Schema };

export const widgetDefinition = defineResource<Widget>({
  group: 'toys.example.com',
  kind: 'Widget',
  namespaced: true,
  shortNames: ['wd'],
  versions: [widgetV1],
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    validate: (widget) => [...validateObjectMeta(widget.metadata, METADATA), ...tooSmall(widget)],
    validateUpdate: tooSmall,
  },
  columns: [
    nameColumn,
    { name: 'Size', type: 'integer', format: '', description: 'How large it is.', priority: 0, cell: ({ spec }) => spec?.size ?? 0 },
    ageColumn,
  ],
});
