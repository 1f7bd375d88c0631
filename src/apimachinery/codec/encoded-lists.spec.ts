import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { leaseV1Schema } from '../../apis/coordination/lease/lease.schema.js';
import { tableRowSchema } from '../meta/table.schema.js';
import { JsonSerializer, prettyJson } from './json/json-serializer.js';
import type { EncodeOptions, Encoded, ItemRun, ListHead, Serializer } from './serializer/serializer.js';
import { toYaml } from './yaml/yaml-writer.js';
import { YamlSerializer } from './yaml/yaml-serializer.js';

const json = new JsonSerializer();
const yaml = new YamlSerializer();

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', '\n', 'a\nb\n', ' items: []\n', '\nitems: []\nrows: []\n', '{', ',', '"', '\\', 'x '.repeat(60)),
);
const annotations = fc.dictionary(fc.constantFrom('a', 'b', 'items', 'rows'), text);
const lease = fc.record({ metadata: fc.record({ name: text, annotations }), spec: fc.record({ holderIdentity: text }) });
const lists = fc.array(fc.array(lease, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
const head = (resourceVersion: string): ListHead => ({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion } });
const columnDefinitions = [{ name: 'Name', type: 'string', format: '', description: 'rows: []\n', priority: 0 }];

function runsOf(serializer: Serializer, items: readonly Encoded[][], options?: EncodeOptions): ItemRun[] {
  return items.map((run) => serializer.joinItems(run, options));
}

/** However a list is divided into runs, it has the same bytes as in one run. */
function checkAll(check: (objects: readonly object[][], version: string) => void): void {
  fc.assert(fc.property(lists, text, check), { numRuns: 200 });
}

const itemsOf = (serializer: Serializer, objects: readonly object[][]) =>
  objects.map((run) => run.map((object) => serializer.encodeItem(leaseV1Schema, object)));
const rowsOf = (serializer: Serializer, objects: readonly object[][]) =>
  objects.map((run) => run.map((object) => serializer.encodeItem(tableRowSchema, { cells: [1, 'a'], object })));

describe('lists and Tables encoded in runs', () => {
  it('are valid JSON', () => {
    checkAll((objects, version) => {
      const list = json.encodeList(head(version), runsOf(json, itemsOf(json, objects))).toString();
      expect(JSON.parse(list)).toEqual({
        ...head(version),
        metadata: version === '' ? {} : { resourceVersion: version },
        items: JSON.parse(`[${itemsOf(json, objects).flat().join()}]`) as unknown,
      });
      expect(list.endsWith('}\n')).toBe(true);
    });
  });

  it('are indented like a list encoded as a whole', () => {
    checkAll((objects, version) => {
      const whole = json.encodeList(head(version), runsOf(json, itemsOf(json, objects))).toString();
      const pretty = { pretty: true };
      expect(json.encodeList(head(version), runsOf(json, itemsOf(json, objects), pretty), pretty).toString()).toBe(
        prettyJson(whole.trimEnd()),
      );
      const table = { ...head(version), columnDefinitions };
      const wholeTable = json.encodeTable(table, runsOf(json, rowsOf(json, objects))).toString();
      expect(json.encodeTable(table, runsOf(json, rowsOf(json, objects), pretty), pretty).toString()).toBe(
        prettyJson(wholeTable.trimEnd()),
      );
    });
  });

  it('are the same YAML as a list encoded as a whole', () => {
    checkAll((objects, version) => {
      const whole = json.encodeList(head(version), runsOf(json, itemsOf(json, objects))).toString();
      expect(yaml.encodeList(head(version), runsOf(yaml, itemsOf(yaml, objects))).toString()).toBe(toYaml(whole));
      const table = { ...head(version), columnDefinitions };
      const wholeTable = json.encodeTable(table, runsOf(json, rowsOf(json, objects))).toString();
      expect(yaml.encodeTable(table, runsOf(yaml, rowsOf(yaml, objects))).toString()).toBe(toYaml(wholeTable));
    });
  });
});
