import { ErrorCode } from './error-code.js';
import { DEFAULT_WINDOW, MAX_WINDOW, Setting } from './frames.js';

const SETTING_BYTES = 6;
/** In one frame, as nghttp2 has it: there are not that many kinds. */
const MAX_SETTINGS = 32;

/** What a client says of itself (RFC 9113 section 6.5.2), as far as this server cares. */
export class ClientSettings {
  /** What answers may send at first. */
  initialWindow = DEFAULT_WINDOW;
  /** Of the table of headers; undefined: the default. */
  tableBytes: number | undefined;

  /** Takes a frame of them; answers the error of the connection, or NO_ERROR. */
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
        // The least that it was may not be passed over (RFC 7541 section 4.2).
        this.tableBytes = Math.min(value, this.tableBytes ?? value);
        return ErrorCode.NO_ERROR;
      case Setting.ENABLE_PUSH:
        return value <= 1 ? ErrorCode.NO_ERROR : ErrorCode.PROTOCOL_ERROR;
      case Setting.INITIAL_WINDOW_SIZE:
        this.initialWindow = value;
        return value <= MAX_WINDOW ? ErrorCode.NO_ERROR : ErrorCode.FLOW_CONTROL_ERROR;
      case Setting.MAX_FRAME_SIZE:
        // Frames of this server are never longer than the least that a client may ask for.
        return value >= 2 ** 14 && value < 2 ** 24 ? ErrorCode.NO_ERROR : ErrorCode.PROTOCOL_ERROR;
      default:
        return ErrorCode.NO_ERROR;
    }
  }
}
