import type { SelectorRequirement } from '../../apimachinery/meta/label-selector.schema.js';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.js';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector.js';
import type { AuthorizationAttributes } from '../../auth/authorization/authorizer.js';
import type { AccessReviewSpec, SelectorAttributes } from './authorization.schema.js';

/** A review's attributes in the form that authorizers take (kubernetes pkg/registry/authorization/util). */
export function requestedAttributes({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec): AuthorizationAttributes {
  if (!resourceAttributes) return { ...NOTHING, ...nonResourceAttributes };
  const { group = '', version, namespace = '', resource = '', subresource = '', name = '', verb = '' } = resourceAttributes;
  const target = { namespace, resource, subresource, name };
  return { ...NOTHING, isResourceRequest: true, verb, apiGroup: group, apiVersion: version || '*', ...target };
}

const NOTHING: AuthorizationAttributes = {
  isResourceRequest: false,
  verb: '',
  apiGroup: '',
  apiVersion: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  path: '',
};

/** The parts of the selectors that could not be read; authorization then checks a wider request, which is safe. '' if there are none. */
export function selectorProblems({ resourceAttributes }: AccessReviewSpec): string {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  return [
    describe('fieldSelector', fieldSelector, (text) => void parseFieldSelector(text), isReadableFieldRequirement),
    describe('labelSelector', labelSelector, (text) => void parseLabelSelector(text), isReadableLabelRequirement),
  ]
    .filter((text) => text !== '')
    .join('; ');
}

function describe(
  name: string,
  selector: SelectorAttributes | undefined,
  parse: (text: string) => void,
  isReadable: (requirement: SelectorRequirement) => boolean,
): string {
  if (!selector) return '';
  const { rawSelector = '', requirements = [] } = selector;
  const readable = requirements.filter(isReadable).length;
  if (readable === requirements.length && (rawSelector === '' || parses(rawSelector, parse))) return '';
  return `spec.resourceAttributes.${name} ${readable > 0 ? 'partially ' : ''}ignored due to parse error`;
}

function parses(text: string, parse: (text: string) => void): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function isReadableLabelRequirement({ operator }: SelectorRequirement): boolean {
  return ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator);
}

/** Field selectors support only a single value, equal or not equal. */
function isReadableFieldRequirement({ operator, values = [] }: SelectorRequirement): boolean {
  return (operator === 'In' || operator === 'NotIn') && values.length === 1;
}
