const IS_PROOF = process.env['CARILLON_PROOF'] === 'true';
const SEED = Number(process.env['CARILLON_SEED'] ?? 1);

/**
 * The first item and `more` others, which the seed of the run chooses; all of them in `npm run proof`. For scenarios that
 * take long and differ little between brokers or stores, whose conformance suites run over all of them.
 */
export function subset<Item>(items: readonly Item[], more: number): readonly Item[] {
  const [first, ...others] = items;
  if (IS_PROOF || first === undefined || others.length <= more) return items;
  return [
    first,
    ...Array.from({ length: more }, (_, index) => others[(SEED + index) % others.length] as Item),
  ];
}
