import { CONNECTION_WINDOW } from '../connections/connection-window.js';
import { DEFAULT_WINDOW, Setting, settingsFrame, windowUpdateFrame } from './frames.js';

/** The first bytes from the server on a connection (RFC 9113 section 3.4): its settings, and the window for all bodies together. */
export function serverPreface(limits: { readonly maxStreams: number; readonly maxHeaderBytes: number }): Buffer {
  const settings = settingsFrame([
    [Setting.MAX_CONCURRENT_STREAMS, limits.maxStreams],
    [Setting.MAX_HEADER_LIST_SIZE, limits.maxHeaderBytes],
  ]);
  return Buffer.concat([settings, windowUpdateFrame(0, CONNECTION_WINDOW - DEFAULT_WINDOW)]);
}
