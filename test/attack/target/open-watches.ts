import { LeaseSession } from '../../load/lease-session.js';
import { ADMIN_TOKEN } from '../identities.js';

/** Number of lease watches that the server counts as open, by its metrics; undefined if it does not answer. */
export async function openWatches(url: string): Promise<number | undefined> {
  const session = new LeaseSession(url, ADMIN_TOKEN);
  const late = setTimeout(() => session.close(), 5000);
  const { status, text } = await session.send('GET', '/metrics');
  clearTimeout(late);
  session.close();
  if (status !== 200) return undefined;
  const lines = text.split('\n').filter((line) => line.startsWith('apiserver_longrunning_requests{') && line.includes('resource="leases"'));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
