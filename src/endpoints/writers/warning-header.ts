const TOTAL_RUNES = 4096;
const EACH_RUNES = 256;

/**
 * The values of Warning headers (RFC 7234, code 299, no agent), as upstream writes them (apiserver endpoints/filters/warning.go):
 * long texts are cut once all of them together pass 4096 runes, and texts that cannot be sent are left out.
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const total = texts.reduce((sum, text) => sum + [...text].length, 0);
  const shown = total > TOTAL_RUNES ? texts.map((text) => [...text].slice(0, EACH_RUNES).join('')) : texts;
  // A raw header value is bytes: node:http takes latin1 characters for bytes, so UTF-8 is handed over as such.
  return shown.filter(isSendable).map((text) => Buffer.from(`299 - "${text.replace(/[\\"]/g, '\\$&')}"`, 'utf8').toString('latin1'));
}

function isSendable(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return !/[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u.test(text);
}
