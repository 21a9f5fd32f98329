/** Of the whole test run: the same with every change, another one with every proof. */
export const seed = Number(process.env['CARILLON_SEED']);
