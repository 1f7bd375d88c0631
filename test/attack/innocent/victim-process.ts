import { LeaseVictim } from './lease-victim.js';

/** The process of the innocent client: its argument is the server's URL; every message is answered with the figures since the last one. */
const victim = new LeaseVictim(process.argv[2] ?? '');
process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.(victim.collect()));
victim.start();
