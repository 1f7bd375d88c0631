/*
 * What this server does in most examples, in the format of `observe`.
 */
export const ANSWERED = '+0: 200 "GET / 0"; alive';
/** The stream, and not the connection. */
export const RESET = '+0: RST PROTOCOL_ERROR; alive';
export const CALM_DOWN = 'GOAWAY ENHANCE_YOUR_CALM; closed';
export const COMPRESSION_ERROR = 'GOAWAY COMPRESSION_ERROR; closed';
export const FRAME_SIZE_ERROR = 'GOAWAY FRAME_SIZE_ERROR; closed';
export const PROTOCOL_ERROR = 'GOAWAY PROTOCOL_ERROR; closed';
