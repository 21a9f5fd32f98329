// The members of the client library that the checks use; it brings no types.
declare module 'pg' {
  interface Answer {
    readonly rows: readonly Readonly<Record<string, unknown>>[];
  }
  export class Client {
    constructor(options: Readonly<Record<string, unknown>>);
    connect(): Promise<void>;
    query(text: string, values?: readonly unknown[]): Promise<Answer>;
    end(): Promise<void>;
    on(event: 'error', listener: (error: Error) => void): this;
  }
}
