// Circles: of rooms, whatever their floor, and of files inside a room. Types count too: a file that cannot be understood
// without another, which cannot be understood without it, is one file in two.

/**
 * The groups of nodes that lead to each other, each as a line that names one way round; a node that leads to itself is
 * one too.
 * @param {Map<string, readonly string[]>} arrows
 */
export function circles(arrows) {
  const found = new Set();
  const done = new Set();
  const visit = (node, path) => {
    const start = path.indexOf(node);
    if (start >= 0) {
      found.add(`circle: ${fromTheLeast(path.slice(start)).join(' → ')}`);
      return;
    }
    if (done.has(node)) return;
    for (const next of arrows.get(node) ?? []) {
      if (arrows.has(next)) visit(next, [...path, node]);
    }
    done.add(node);
  };
  for (const node of arrows.keys()) visit(node, []);
  return [...found];
}

/** The same circle is the same line, wherever it was entered. */
function fromTheLeast(circle) {
  const first = circle.indexOf([...circle].sort()[0]);
  const turned = [...circle.slice(first), ...circle.slice(0, first)];
  return [...turned, turned[0]];
}

/** What each room says it needs. */
export const roomArrows = (byName) =>
  new Map(
    [...byName].map(([name, { dependencies, devDependencies }]) => [
      name,
      [...dependencies, ...devDependencies],
    ]),
  );

/**
 * The one graph of objects that are nothing without each other: an app, its channels and patterns, their subscribers and what
 * subscribers are told with. Imports among these files are no arrows.
 */
const ONE_GRAPH = new Set(
  [
    'apps/app-hub.ts',
    'channels/audience.ts',
    'channels/audiences.ts',
    'channels/gate.ts',
    'channels/local-channel.ts',
    'channels/lookout.ts',
    'channels/readers.ts',
    'channels/topic.ts',
    'delivery/outlet.ts',
    'edge.ts',
    'patterns/app-patterns.ts',
    'patterns/local-pattern.ts',
    'subscriber/subscriber.ts',
    'users/token-holders.ts',
    'users/user-index.ts',
  ].map((file) => `libs/domain/hub/src/${file}`),
);

/** What each file of a room imports of its room. */
export function fileArrows({ imports }) {
  const arrows = new Map();
  for (const { part, file, target } of imports) {
    if (part !== 'src') continue;
    const needed = arrows.get(file) ?? [];
    arrows.set(file, needed);
    const other = target?.replace(/\.js$/, '.ts');
    if (other !== undefined && !(ONE_GRAPH.has(file) && ONE_GRAPH.has(other))) needed.push(other, target);
  }
  return arrows;
}
