import type { FactoryProvider, Type } from '@nestjs/common';

declare const MADE: unique symbol;

/** Injection token with the type of its value. */
export type Token<Made> = symbol & { readonly [MADE]?: Made };

/** `what` is for messages of Nest. */
export const token = <Made>(what: string): Token<Made> => Symbol(what);

/** A part that a process may lack: undefined then. */
export interface OptionalPart<Made> {
  readonly token: Token<Made>;
  readonly optional: true;
}

export const optional = <Made>(wanted: Token<Made>): OptionalPart<Made> => ({
  token: wanted,
  optional: true,
});

/** Parts that something is made of, each by a name. */
export type Wanted = Readonly<Record<string, OptionalPart<unknown> | Token<unknown> | Type>>;

/** The parts of these tokens, by their names. */
export type PartsOf<Tokens extends Wanted> = {
  readonly [Name in keyof Tokens]: Tokens[Name] extends OptionalPart<infer Made>
    ? Made | undefined
    : Tokens[Name] extends Token<infer Made>
      ? Made
      : Tokens[Name] extends Type<infer Made>
        ? Made
        : never;
};

/** Declares a provider with named, typed dependencies, so that no list of tokens has to match a list of arguments. */
export function provider<Made, Tokens extends Wanted>(
  provide: Token<Made>,
  wanted: Tokens,
  make: (parts: PartsOf<Tokens>) => NoInfer<Made> | Promise<NoInfer<Made>>,
): FactoryProvider<Made> {
  const named = Object.entries(wanted);
  return {
    provide,
    inject: named.map(([, each]) => each),
    useFactory: (...parts: readonly unknown[]) =>
      make(Object.fromEntries(named.map(([name], at) => [name, parts[at]])) as PartsOf<Tokens>),
  };
}
