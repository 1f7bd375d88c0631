const TOTAL_RUNES = 4096;
const EACH_RUNES = 256;

/**
 * The values of Warning headers (RFC 7234, code 299, no agent), as upstream writes them (apiserver endpoints/filters/warning.go):
 * once all of them together would pass 4096 runes, each is cut to 256, and those behind that many runes are left out. So are texts
 * that cannot be sent.
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const whole = fitting(texts, false) ?? fitting(texts, true) ?? [];
  // A raw header value is bytes: node:http takes latin1 characters for bytes, so UTF-8 is handed over as such.
  return whole.map((text) => Buffer.from(`299 - "${text.replace(/[\\"]/g, '\\$&')}"`, 'utf8').toString('latin1'));
}

/** What is sent of the texts; undefined where they would have to be cut and may not be. */
function fitting(texts: readonly string[], cut: boolean): string[] | undefined {
  const sent: string[] = [];
  let total = 0;
  for (const text of texts) {
    if (cut && total >= TOTAL_RUNES) break;
    const runes = [...text];
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
