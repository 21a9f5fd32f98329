const INTEGER = /^(?:0|-?[1-9]\d*)$/;

/** The sum of a stored value and an amount; null when the value is not an integer or the sum not a safe one. */
export function sumOf(value: string, amount: number): number | null {
  if (!INTEGER.test(value)) return null;
  const before = Number(value);
  const sum = before + amount;
  return Number.isSafeInteger(before) && Number.isSafeInteger(sum) ? sum : null;
}
