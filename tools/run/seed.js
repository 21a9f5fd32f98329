// Where tests begin that choose by chance: mutated input, faults of the fleet, properties.
/** The variable that says which; every test finds it set (`vitest.config.js`). */
export const SEED = 'CARILLON_SEED';

/** Always the same one, so that a change fails by what it does and never by luck. */
const OF_EVERY_CHANGE = 1;

/**
 * As the environment says, to try again what failed; otherwise `npm run proof`, which looks for what nobody has met yet,
 * takes another one every second.
 */
export function seedOfRun() {
  const told = process.env[SEED];
  if (told !== undefined && /^\d{1,9}$/.test(told)) return told;
  const proves = process.env.CARILLON_PROOF === 'true';
  return String(proves ? Math.floor(Date.now() / 1000) % 1_000_000_000 : OF_EVERY_CHANGE);
}
