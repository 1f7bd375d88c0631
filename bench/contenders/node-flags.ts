/** The flags with which `npm start`, the image and the systemd unit start Node (docs/performance.md). */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=16', '--use-largepages=silent'];
