/** Follows from the commit where `npm test` runs, else from the day; the environment says which to try again. */
export const seed = Number(process.env['CARILLON_FLEET_SEED'] ?? Math.floor(Date.now() / 86_400_000));
