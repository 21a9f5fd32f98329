import { recordsConformance } from './conformance.js';
import { useScyllaNode } from './scylla-node.js';

const node = useScyllaNode();

recordsConformance('scylladb', {
  open: (table, timeoutMs) => node.open(table, timeoutMs === undefined ? {} : { timeoutMs }),
  openWithWrongCredentials: () => node.open('t', { password: 'wrong' }),
  server: {
    restart: () => node.handle().restart(),
    pause: () => node.handle().pause(),
    resume: () => node.handle().resume(),
  },
});
