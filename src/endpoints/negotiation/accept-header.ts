/** One entry of an Accept header: `application/json;as=Table;q=0.5`. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Limits on the entries that count, and on the parameters of one. Clients send a handful; upstream reads all of a header of 1 MiB. */
const MAX_ENTRIES = 1000;
const MAX_PARAMETERS = 100;

/**
 * Parses an Accept header as upstream does (munnerz/goautoneg): entries that are not media types are skipped, and the rest is sorted by
 * quality, then by specificity. q=0 only sorts last; it excludes nothing.
 */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',', MAX_ENTRIES)) {
    const clause = parseClause(part.trim());
    if (clause) clauses.push(clause);
  }
  return sortClauses(clauses);
}

function parseClause(text: string): AcceptClause | undefined {
  const [mediaRange = '', ...rest] = text.split(';', MAX_PARAMETERS);
  const slash = mediaRange.indexOf('/');
  const type = (slash < 0 ? mediaRange : mediaRange.slice(0, slash)).trim();
  let subtype = slash < 0 ? '' : mediaRange.slice(slash + 1);
  if (subtype === '') {
    if (type !== '*') return undefined;
    subtype = '*';
  }
  if (subtype.includes('/')) return undefined;
  const parameters = Object.create(null) as Record<string, string>;
  let quality = 1;
  for (const part of rest) {
    const equals = part.indexOf('=');
    const value = equals < 0 ? '' : part.slice(equals + 1);
    if (value === '' || value.includes('=')) continue;
    const name = part.slice(0, equals).trim();
    if (name === 'q') quality = Number.isNaN(Number.parseFloat(value)) ? 0 : Number(value) || 0;
    else parameters[name] = value.trim();
  }
  return { type, subtype: subtype.trim(), quality, parameters };
}

/** Up to this many entries, Go sorts by insertion. */
const FEW = 12;

/** An insertion sort, as Go uses for few entries. The order below is not transitive, so the algorithm affects the result. */
function sortClauses(clauses: AcceptClause[]): AcceptClause[] {
  if (clauses.length > FEW) return clauses.sort((a, b) => Number(precedes(b, a)) - Number(precedes(a, b)));
  for (let i = 1; i < clauses.length; i += 1) {
    for (let j = i; j > 0; j -= 1) {
      const [before, after] = [clauses[j - 1], clauses[j]];
      if (!before || !after || !precedes(after, before)) break;
      clauses[j - 1] = after;
      clauses[j] = before;
    }
  }
  return clauses;
}

function precedes(a: AcceptClause, b: AcceptClause): boolean {
  return a.quality > b.quality || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');
}
