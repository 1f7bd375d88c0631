import { httpsTransport } from '../../../kube-client/src/https-transport.js';
import type { Transport } from '../../../kube-client/src/transport.js';
import { wholeText } from '../../../kube-client/src/whole-text.js';
import type { ServerConnection } from './server-connection.js';

/** Sends a request again, once, whose credentials were refused where there may be others. */
export function serverTransport(connection: ServerConnection): Transport {
  const send = httpsTransport(connection);
  return async (request) => {
    const response = await send(request);
    if (response.status !== 401 || !connection.refused?.()) return response;
    await wholeText(response);
    return send(request);
  };
}
