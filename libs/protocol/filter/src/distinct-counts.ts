/** Distinct values in use per scope, each with the number of its holders. */
export class DistinctCounts {
  readonly #byScope = new Map<string, Map<string, number>>();

  has(scope: string, value: string): boolean {
    return this.#byScope.get(scope)?.has(value) === true;
  }

  /** Returns the number of distinct values of a scope. */
  of(scope: string): number {
    return this.#byScope.get(scope)?.size ?? 0;
  }

  add(scope: string, value: string): void {
    const values = this.#byScope.get(scope) ?? new Map<string, number>();
    this.#byScope.set(scope, values.set(value, (values.get(value) ?? 0) + 1));
  }

  remove(scope: string, value: string): void {
    const values = this.#byScope.get(scope);
    const left = (values?.get(value) ?? 0) - 1;
    if (left > 0) values?.set(value, left);
    else values?.delete(value);
    if (values?.size === 0) this.#byScope.delete(scope);
  }
}
