let second = 0;
let text = '';

/** The current time in the format of the `date` header; formatted once a second. */
export function httpDate(now = Date.now()): string {
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    text = new Date(now).toUTCString();
  }
  return text;
}
