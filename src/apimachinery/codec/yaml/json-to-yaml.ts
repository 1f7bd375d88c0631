import { Document, visit } from 'yaml';

const STYLE = { indentSeq: false, lineWidth: 0 } as const;

// Characters that YAML 1.1 takes for line breaks or does not allow in a text.
const ODD = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/;
const ALL_ODD = new RegExp(ODD, 'g');

/** JSON text as YAML in block style with sorted keys. What YAML 1.1 would read as anything but a string is quoted. */
export function toYaml(json: string): string {
  const document = new Document(JSON.parse(json), { version: '1.1', sortMapEntries: true, aliasDuplicateObjects: false });
  if (!ODD.test(json) && !json.includes('\\u202')) return document.toString(STYLE);
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && ODD.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString(STYLE).replace(ALL_ODD, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
