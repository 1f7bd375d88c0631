/** What calls the program on the server's machine. */
export function programCall(): string {
  return document.querySelector('meta[name="program-call"]')?.getAttribute('content') ?? 'coordination-apiserver';
}
