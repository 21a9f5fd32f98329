/** The order of the bytes of UTF-8, as databases have it. */
export function byBytes(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** The order of several columns. */
export function byColumns(left: readonly (string | number)[], right: readonly (string | number)[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? '';
    const order =
      typeof value === 'number' && typeof other === 'number'
        ? value - other
        : byBytes(String(value), String(other));
    if (order !== 0) return order;
  }
  return 0;
}
