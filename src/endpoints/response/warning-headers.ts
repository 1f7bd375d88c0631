const TOTAL_RUNES = 4096;
const EACH_RUNES = 256;

/**
 * Builds the values of Warning headers (RFC 7234, code 299, no agent) as upstream does (apiserver endpoints/filters/warning.go): if all of
 * them together exceed 4096 runes, each is cut to 256, and those beyond the limit are dropped. Texts that cannot be sent are dropped too.
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const whole = fitting(texts, false) ?? fitting(texts, true) ?? [];
  // A raw header value is bytes: node:http writes latin1 characters as bytes, so UTF-8 is passed in that form.
  return whole.map((text) => Buffer.from(`299 - "${text.replace(/[\\"]/g, '\\$&')}"`, 'utf8').toString('latin1'));
}

/** The texts that fit, cut if allowed; undefined if they would have to be cut and may not be. */
function fitting(texts: readonly string[], cut: boolean): string[] | undefined {
  const sent: string[] = [];
  let total = 0;
  for (const text of texts) {
    if (cut && total >= TOTAL_RUNES) break;
    // A rune has up to two characters: the beginning of a long text tells whether it fits.
    const runes = [...text.slice(0, 2 * (TOTAL_RUNES + 1))];
    const shown = cut && runes.length > EACH_RUNES ? runes.slice(0, EACH_RUNES).join('') : text;
    if (!isSendable(shown)) continue;
    total += cut ? Math.min(runes.length, EACH_RUNES) : runes.length;
    if (!cut && total > TOTAL_RUNES) return undefined;
    sent.push(shown);
  }
  return sent;
}

function isSendable(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return !/[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u.test(text);
}
