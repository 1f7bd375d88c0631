import { CONNECTION_WINDOW } from '../connections/connection-limits.js';
import { DEFAULT_WINDOW, ErrorCode, MAX_WINDOW, Setting, settingsFrame, windowUpdateFrame } from './frames.js';

const SETTING_BYTES = 6;
/** Maximum number of entries in one frame, as in nghttp2; fewer settings exist. */
const MAX_SETTINGS = 32;

/** The client's settings (RFC 9113 section 6.5.2), as far as this server uses them. */
export class ClientSettings {
  /** Initial window of responses. */
  initialWindow = DEFAULT_WINDOW;
  /** Size of the header table; undefined means the default. */
  tableBytes: number | undefined;

  /** Applies a SETTINGS frame; returns the connection error, or NO_ERROR. */
  take(payload: Buffer): ErrorCode {
    if (payload.length > MAX_SETTINGS * SETTING_BYTES) return ErrorCode.ENHANCE_YOUR_CALM;
    for (let at = 0; at < payload.length; at += SETTING_BYTES) {
      const code = this.#set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
      if (code !== ErrorCode.NO_ERROR) return code;
    }
    return ErrorCode.NO_ERROR;
  }

  #set(setting: number, value: number): ErrorCode {
    switch (setting) {
      case Setting.HEADER_TABLE_SIZE:
        // The smallest size it ever had must not be skipped (RFC 7541 section 4.2).
        this.tableBytes = Math.min(value, this.tableBytes ?? value);
        return ErrorCode.NO_ERROR;
      case Setting.ENABLE_PUSH:
        return value <= 1 ? ErrorCode.NO_ERROR : ErrorCode.PROTOCOL_ERROR;
      case Setting.INITIAL_WINDOW_SIZE:
        this.initialWindow = value;
        return value <= MAX_WINDOW ? ErrorCode.NO_ERROR : ErrorCode.FLOW_CONTROL_ERROR;
      case Setting.MAX_FRAME_SIZE:
        // This server never sends frames longer than the smallest maximum a client may set.
        return value >= 2 ** 14 && value < 2 ** 24 ? ErrorCode.NO_ERROR : ErrorCode.PROTOCOL_ERROR;
      default:
        return ErrorCode.NO_ERROR;
    }
  }
}

/** The first bytes from the server on a connection (RFC 9113 section 3.4): its settings, and the window for all bodies together. */
export function serverPreface(limits: { readonly maxStreams: number; readonly maxHeaderBytes: number }): Buffer {
  const settings = settingsFrame([
    [Setting.MAX_CONCURRENT_STREAMS, limits.maxStreams],
    [Setting.MAX_HEADER_LIST_SIZE, limits.maxHeaderBytes],
  ]);
  return Buffer.concat([settings, windowUpdateFrame(0, CONNECTION_WINDOW - DEFAULT_WINDOW)]);
}
