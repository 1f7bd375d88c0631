/**
 * Bytes of bodies that one HTTP/2 connection may send over all its streams before the server returns window. In the worst case, a turn of
 * the event loop has to decrypt and copy this much for every connection, so it bounds how much a flood of bodies delays others. Window is
 * returned as bytes arrive, whether they are read or not; the stream's window bounds what a stream may leave unread.
 */
export const CONNECTION_WINDOW = 256 * 1024;
