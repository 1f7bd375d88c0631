/** Where the workers find the server that the run shares. */
export const SERVER_URL_VARIABLE = 'COORDINATION_TEST_SERVER';

/** A URL whose user, host and port what is under test uses, in place of those of the server that the run shares. */
export const STORE_URL_VARIABLE = 'COORDINATION_TEST_STORE_URL';

/** The mode of the pooler that it leads to, where it does. */
export const POOLER_VARIABLE = 'COORDINATION_TEST_POOLER';

/** `off`: stores do not LISTEN unless a test says so. */
export const LISTEN_VARIABLE = 'COORDINATION_TEST_LISTEN';

export const LISTENS = process.env[LISTEN_VARIABLE] !== 'off';

const AUTHORITY = /^[a-z]+:\/\/[^/]*/;

/** How what is under test gets to a database: through a pooler, or as a user of few rights, where the run says so. */
export function storeUrl(url: string): string {
  const way = process.env[STORE_URL_VARIABLE];
  const [shared = ''] = AUTHORITY.exec(process.env[SERVER_URL_VARIABLE] ?? '') ?? [];
  return way && shared && url.startsWith(`${shared}/`) ? url.replace(shared, AUTHORITY.exec(way)?.[0] ?? '') : url;
}
