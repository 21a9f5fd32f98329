import { recordsConformance } from './conformance.js';
import { useScyllaNode } from './scylla-node.js';

const node = useScyllaNode();

recordsConformance('scylladb', {
  open: (table) => node.open(table),
  openWithWrongCredentials: () => node.open('t', 'wrong'),
  server: {
    restart: () => node.handle().restart(),
    pause: () => node.handle().pause(),
    resume: () => node.handle().resume(),
  },
});
