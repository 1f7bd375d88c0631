/** The URL of the run's shared server, set for the workers. */
export const SERVER_URL_VARIABLE = 'COORDINATION_TEST_SERVER';

/** A URL whose user, host and port replace the shared server's for the code under test. */
export const STORE_URL_VARIABLE = 'COORDINATION_TEST_STORE_URL';

/** The pool mode, if that URL leads to a pooler. */
export const POOLER_VARIABLE = 'COORDINATION_TEST_POOLER';

/** `off`: stores do not LISTEN unless a test says so. */
export const LISTEN_VARIABLE = 'COORDINATION_TEST_LISTEN';

export const LISTENS = process.env[LISTEN_VARIABLE] !== 'off';

const AUTHORITY = /^[a-z]+:\/\/[^/]*/;

/** The URL by which the code under test reaches a database: through a pooler or as a user of few rights, if the run says so. */
export function storeUrl(url: string): string {
  const way = process.env[STORE_URL_VARIABLE];
  const [shared = ''] = AUTHORITY.exec(process.env[SERVER_URL_VARIABLE] ?? '') ?? [];
  return way && shared && url.startsWith(`${shared}/`) ? url.replace(shared, AUTHORITY.exec(way)?.[0] ?? '') : url;
}
