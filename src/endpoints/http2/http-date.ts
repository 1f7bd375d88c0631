let second = 0;
let text = '';

/** The time of an answer, as its header `date` has it: made once a second. */
export function httpDate(now = Date.now()): string {
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    text = new Date(now).toUTCString();
  }
  return text;
}
