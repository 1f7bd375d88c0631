import type { Finding } from './sequence-run.js';
import type { Question } from './question.js';

/** The common features of findings of one kind: the sort of question, and the values that differ. */
export function signatureOf({ question, differences }: Pick<Finding, 'question' | 'differences'>): string {
  const [first] = differences;
  const paths = [...new Set(differences.map(({ path }) => shapeOf(path)))].slice(0, 4).join(', ');
  const values = first ? `${valueShape(first.upstream)} / ${valueShape(first.ours)}` : '';
  return `${question.method} ${resourceOf(question)} ${contentOf(question)}: ${paths}: ${values}`;
}

function resourceOf({ path }: Question): string {
  return path.replace(/^\/apis?\//, '').replace(/\/(?:\{\{ns\}\}-)?(a|b|c|UPPER|a\.b|a_b|-x|x{254})(?=\/|$)/, '/NAME');
}

function contentOf({ body }: Question): string {
  return body?.contentType?.replace('application/', '') ?? '-';
}

function shapeOf(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]').replaceAll(/\.[fkvi]:[^.]*/g, '.f');
}

/** Numbers and quoted texts are treated as equal. */
function valueShape(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'absent');
  return text
    .replaceAll(/"[^"]*"/g, '"…"')
    .replaceAll(/\d{4,}/g, '#')
    .slice(0, 90);
}
