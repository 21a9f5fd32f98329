const DAY_MS = 86_400_000;
/** Far more than a day's run has chunks, so that no two days share a seed. */
const SEEDS_A_DAY = 100_000;

/** The first seed of a run: another one every day, unless `CARILLON_SEED` says which. @returns {number} */
export function seedOfTheDay() {
  const told = process.env.CARILLON_SEED;
  if (told !== undefined && /^\d{1,9}$/.test(told)) return Number(told);
  return Math.floor(Date.now() / DAY_MS) * SEEDS_A_DAY;
}

/** `npm run proof` tries ten times as much, and expects that every outcome is met. */
export const PROOF = process.env.CARILLON_PROOF === 'true';
