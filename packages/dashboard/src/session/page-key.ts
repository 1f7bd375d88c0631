const KEY = 'coordination-apiserver-ui-key';
const IN_ADDRESS = /^#key=([\w-]+)$/;
/** Other tabs with this page answer within milliseconds, or not at all. */
const ANSWER_MS = 500;

/**
 * The key of `coordination-apiserver ui`, from the address that it printed or from an earlier load of this tab; undefined elsewhere. It is no
 * cookie, which a browser would send to every port of this computer. Afterwards the address does not contain it.
 */
export function pageKey(): string | undefined {
  const [, given] = IN_ADDRESS.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Loads the page again when the user opens such an address in this tab, and gives the key to tabs that ask. */
export function keepPageKey(): void {
  addEventListener('hashchange', () => {
    if (IN_ADDRESS.test(location.hash)) location.reload();
  });
  const channel = new BroadcastChannel(KEY);
  channel.onmessage = ({ data }) => {
    const key = sessionStorage.getItem(KEY);
    if (data === 'asked' && key !== null) channel.postMessage({ key });
  };
}

/**
 * Asks the other tabs with this page, as a tab has to that was opened by a link. Only pages of this host and port hear it. Resolves with
 * whether this tab has a key now that it did not have before.
 */
export async function askOtherTabs(): Promise<boolean> {
  const channel = new BroadcastChannel(KEY);
  try {
    const key = await new Promise<string | undefined>((resolve) => {
      channel.onmessage = ({ data }: MessageEvent<{ readonly key?: string }>) => {
        if (data.key !== undefined && data.key !== sessionStorage.getItem(KEY)) resolve(data.key);
      };
      channel.postMessage('asked');
      setTimeout(() => resolve(undefined), ANSWER_MS);
    });
    if (key !== undefined) sessionStorage.setItem(KEY, key);
    return key !== undefined;
  } finally {
    channel.close();
  }
}
