/** Whether a `Content-Type` is JSON, ignoring parameters. */
export const isJsonType = (header: string | undefined): boolean =>
  header?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';

/** Whether an `Accept` header allows all of these types. Absent: it allows everything. A weight of 0 refuses. */
export function accepts(header: string | undefined, types: readonly string[]): boolean {
  if (header === undefined) return true;
  const ranges = header.split(',').flatMap((item) => {
    const [range = '', ...parameters] = item
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    return parameters.some((one) => /^q=0(\.0*)?$/.test(one)) ? [] : [range];
  });
  return types.every((type) => {
    const family = `${type.split('/', 1)[0] ?? ''}/*`;
    return ranges.some((range) => range === type || range === family || range === '*/*');
  });
}
