import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMap, parseDocument, stringify } from 'yaml';
import { allSettings } from '../src/server/config/server-settings.js';
import { allowedValues } from '../src/settings/setting.js';

const root = path.join(import.meta.dirname, '..');
const CHART = 'deploy/helm/coordination-apiserver';
const read = (file) => readFileSync(path.join(root, file), 'utf8');

/** The generated files of the chart, by their paths in the repository. */
export function chartFiles() {
  const schema = valuesSchema();
  return [
    [`${CHART}/values.schema.json`, JSON.stringify(schema)],
    [
      `${CHART}/README.md`,
      read(`${CHART}/README.md`).replace(/(<!-- values[^>]*-->\n)[^]*(<!-- end of values -->)/, `$1\n${table(schema)}\n$2`),
    ],
    // Helm reads only files in the chart's directory.
    [`${CHART}/files/alerts.yaml`, read('deploy/prometheus/alerts.yaml')],
    [`${CHART}/files/dashboard.json`, read('deploy/grafana/coordination-apiserver.json')],
  ];
}

/** The schema with the names, kinds and allowed values of the settings, so that Helm refuses what the server would refuse. */
function valuesSchema() {
  const schema = JSON.parse(read(`${CHART}/values.schema.json`));
  const settings = [...allSettings()].sort((one, other) => (one.name < other.name ? -1 : 1));
  const variables = settings.map(({ environment }) => environment);
  Object.assign(schema.definitions, {
    config: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(settings.map((setting) => [setting.name, { description: setting.help, ...valueSchema(setting) }])),
    },
    variable: {
      type: 'object',
      required: ['name'],
      if: { properties: { name: { pattern: '^COORDINATION_APISERVER_' } } },
      then: { properties: { name: { enum: variables } } },
    },
  });
  return schema;
}

/** What `readSetting` accepts in a file. */
function valueSchema(setting) {
  const values = allowedValues(setting);
  switch (setting.kind) {
    case 'text':
      return values.length > 0 ? { enum: values } : { type: ['string', 'number', 'boolean'] };
    case 'integer':
      return { type: ['integer', 'string'], pattern: '^-?[0-9]{1,15}$' };
    case 'number':
      return { type: ['number', 'string'], minimum: 0, pattern: '^[0-9.]{1,20}$' };
    case 'boolean':
      return { type: ['boolean', 'string'], pattern: '^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$' };
    case 'duration':
      return {
        type: ['string', 'integer'],
        minimum: 0,
        maximum: 0,
        pattern: '^([+]?(0|(([0-9]+[.]?[0-9]*|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)|[0-9]{1,5}d)$',
      };
    case 'list':
      if (values.length === 0) return { type: ['array', 'string'], items: { type: 'string' } };
      return {
        type: ['array', 'string'],
        items: { type: 'string', enum: values },
        pattern: `^((${values.map(literal).join('|')})(,|$))*$`,
      };
    default:
      throw new Error(`${setting.name} is of the unknown kind ${setting.kind}`);
  }
}

/** A regular expression for this text. */
function literal(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Every value with its default and its comment in values.yaml. */
function table(schema) {
  const document = parseDocument(read(`${CHART}/values.yaml`));
  const rows = rowsOf(document.contents, schema, schema.definitions, '');
  return `| value | default | meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

/** Maps whose keys the schema lists are divided, unless they are written on one line or are the settings. */
function rowsOf(map, schema, definitions, prefix) {
  return map.items.flatMap(({ key, value }, index) => {
    const name = `${prefix}${key.value}`;
    const own = resolve(schema.properties?.[key.value], definitions);
    if (own === undefined) throw new Error(`values.schema.json does not have ${name}`);
    if (isMap(value) && !value.flow && own.properties && own !== definitions.config) return rowsOf(value, own, definitions, `${name}.`);
    // For the parser, a comment before the first key of a map is the map's.
    const comment = index === 0 && prefix !== '' ? map.commentBefore : key.commentBefore;
    return [`| \`${name}\` | ${defaultText(value)} | ${meaning(comment ?? '')} |`];
  });
}

/** A definition that a schema refers to, also as the first of several conditions. */
function resolve(schema, definitions) {
  const { $ref } = schema?.allOf?.[0] ?? schema ?? {};
  return $ref === undefined ? schema : definitions[path.basename($ref)];
}

function defaultText(value) {
  const text = stringify(value.toJSON(), { collectionStyle: 'flow', lineWidth: 0 }).trim();
  if (['""', '[]', '{}'].includes(text)) return '';
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function meaning(comment) {
  return comment.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}
