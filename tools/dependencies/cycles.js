// Finds import cycles between packages and between the files of a package. Type imports count.

/**
 * Returns one line per cycle of a directed graph.
 * @param {Map<string, readonly string[]>} edges
 */
export function cycles(edges) {
  const found = new Set();
  const done = new Set();
  const visit = (node, path) => {
    const start = path.indexOf(node);
    if (start >= 0) {
      found.add(`cycle: ${fromSmallest(path.slice(start)).join(' → ')}`);
      return;
    }
    if (done.has(node)) return;
    for (const next of edges.get(node) ?? []) {
      if (edges.has(next)) visit(next, [...path, node]);
    }
    done.add(node);
  };
  for (const node of edges.keys()) visit(node, []);
  return [...found];
}

/** Rotates a cycle to begin with its smallest node, so that a cycle found twice is one line. */
function fromSmallest(cycle) {
  const first = cycle.indexOf([...cycle].sort()[0]);
  const rotated = [...cycle.slice(first), ...cycle.slice(0, first)];
  return [...rotated, rotated[0]];
}

/** Returns the declared dependencies of each package. */
export const packageDependencies = (byName) =>
  new Map(
    [...byName].map(([name, { dependencies, devDependencies }]) => [
      name,
      [...dependencies, ...devDependencies],
    ]),
  );

/** Files of the object graph of an app, its channels, patterns and subscribers. Imports among them are not checked. */
const ONE_GRAPH = new Set(
  [
    'apps/app-hub.ts',
    'channels/audience.ts',
    'channels/audiences.ts',
    'channels/gate.ts',
    'channels/local-channel.ts',
    'channels/slow-consumer-check.ts',
    'channels/subscriber-set.ts',
    'channels/topic.ts',
    'delivery/outlet.ts',
    'edge.ts',
    'patterns/app-patterns.ts',
    'patterns/local-pattern.ts',
    'subscriber/subscriber.ts',
    'users/token-holders.ts',
    'users/user-index.ts',
  ].map((file) => `libs/realtime/src/${file}`),
);

/** Returns the files that each source file of a package imports from the same package. */
export function fileImports({ imports }) {
  const edges = new Map();
  for (const { part, file, target } of imports) {
    if (part !== 'src') continue;
    const needed = edges.get(file) ?? [];
    edges.set(file, needed);
    const other = target?.replace(/\.js$/, '.ts');
    if (other !== undefined && !(ONE_GRAPH.has(file) && ONE_GRAPH.has(other))) needed.push(other, target);
  }
  return edges;
}
