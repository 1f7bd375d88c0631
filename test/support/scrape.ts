import { ask } from './http-client.js';

/** The lines of a server's metrics that begin with this prefix, without comments. */
export async function scrape(url: string, prefix: string): Promise<string[]> {
  const { text } = await ask(`${url}/metrics`);
  return text.split('\n').filter((line) => line.startsWith(prefix));
}

/** The sum of the series of a metric that have these labels, such as `kind="reads"`; 0 without any. */
export async function metricSum(url: string, name: string, ...labels: readonly string[]): Promise<number> {
  const series = (await scrape(url, name)).filter((line) => /^[{ ]/.test(line.slice(name.length)));
  const wanted = series.filter((line) => labels.every((label) => line.includes(label)));
  return wanted.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** Waits for a line of a server's metrics; a request is counted shortly after its response. */
export async function scrapeUntil(url: string, line: string): Promise<void> {
  const name = /^\w+/.exec(line)?.[0] ?? '';
  for (const deadline = Date.now() + 5000; ;) {
    const lines = await scrape(url, name);
    if (lines.includes(line)) return;
    if (Date.now() > deadline) throw new Error(`no line ${line} in:\n${lines.join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
