import { Document, visit } from 'yaml';
import { needsEscapes, printableYaml } from '../../apimachinery/text/printable.js';

/** A value as YAML in which characters that could act on a terminal are escaped, and which means the same. */
export function yamlText(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && needsEscapes(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return printableYaml(document.toString());
}
